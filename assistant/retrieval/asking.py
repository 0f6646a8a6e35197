"""What kind of answer a question wants, and which sentences look like one."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["WANTS", "Want", "wants_of"]

_I = re.IGNORECASE
_NUMBER = (
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|"
    r"dozens?|hundreds?|thousands?|millions?|half|twice|double|single|several)\b)"
)


@dataclass(frozen=True, slots=True)
class Want:
    """One kind of answer.

    Args:
        name: a word for it.
        asks: found in a question that wants it.
        shows: found in a sentence that may hold it.
    """

    name: str
    asks: re.Pattern[str]
    shows: re.Pattern[str]


def _want(name: str, asks: str, shows: str) -> Want:
    return Want(name, re.compile(asks, _I), re.compile(shows, 0 if name == "name" else _I))


WANTS = (
    _want(
        "number",
        r"\bhow (?:many|much|fast|large|big|long|often|far|high|low|accurate|well|good|strong|quick)\b"
        r"|\b(?:what|which) (?:\w+ ){0,3}(?:percentage|percent|share|fraction|number|score|accuracy|rate|"
        r"ratio|factor|gain|speed-?up|improvement|size|amount|complexity|f1|bleu|latency|reduction|"
        r"length|degree|margin|value|figure|cost)\b|\bby how\b|\bspeed-?ups?\b|\bnumbers?\b|"
        r"wie viele?\b|cu[aá]nt[oa]s?|多少|\bcombien\b",
        _NUMBER,
    ),
    _want(
        "measure",
        r"\bhow (?:much|fast|large|big|far|high|accurate|well|good|quick|strong)\b|\bpercent\w*\b|"
        r"\b(?:score|accuracy|gain|speed-?ups?|improvement|reduction|faster|better|f1|bleu|throughput|"
        r"latency|factor|margin|save|saves|cut|reduce)\b",
        r"\d[\d.,]*\s*(?:\\?%|\$?\\times|×|x\b|times|points|-?fold|percent|pp\b|ms\b|[KMB]\b)|\d\.\d|"
        r"\b(?:times|percent|fold)\b",
    ),
    _want(
        "name",
        r"\b(?:which|what)(?: \w+){0,3} (?:models?|data ?sets?|benchmarks?|algorithms?|methods?|"
        r"languages?|systems?|tasks?|baselines?|architectures?|networks?|names?|called|tools?|metrics?|"
        r"domains?|datasets?|frameworks?|components?|modules?|engines?|corpus|corpora|venues?|"
        r"classifiers?|optimi[sz]ers?|encoders?)\b|\bcalled\b|\bnamed?\b|\bwhich\b",
        r"(?<![.?!]\s)(?<!^)\b[A-Z][\w-]*[A-Z0-9][\w-]*|\((?:e\.g\., )?[A-Z][\w-]+",
    ),
    _want(
        "reason",
        r"\bwhy\b|\breasons?\b|\bcauses?\b|\bwhat (?:makes|leads|drives|explains)\b|\bbecause\b|\bwarum\b|"
        r"\bpor qu[eé]\b|为什么",
        r"\b(?:because|due to|since|owing to|as a result|leads? to|caus\w*|stems? from|resulting|thus|"
        r"therefore|hence|attribut\w*|when|since|so that|arises?|emerges?)\b",
    ),
    _want(
        "means",
        r"\bhow (?:do|does|is|are|can|did|was|were|it|they)\b|\bby what\b|\bin what way\b|\bmechanism\b|"
        r"\btechnique\b|\bapproach\b|\bhow\b",
        r"\b(?:by|via|through|using|based on|with|leverag\w*|introduc\w*|employ\w*|adopt\w*|propos\w*|"
        r"combin\w*|appl\w*|which|that)\b",
    ),
    _want(
        "finding",
        r"\b(?:what (?:did|do|does|happens?|is the)|conclusions?|conclude|find|findings?|results?|show|"
        r"reports?|observe|learn|outcome|headline|compared?|better|worse|outperform)\b",
        r"\b(?:show\w*|find\w*|found|demonstrat\w*|achiev\w*|outperform\w*|reveal\w*|result\w*|improv\w*|"
        r"observ\w*|suggest\w*|confirm\w*|prov\w*|surpass\w*|indicat\w*|evaluat\w*)\b",
    ),
    _want(
        "trial",
        r"\b(?:test(?:ed|s)?|tried|tri(?:al|es)|evaluat\w*|experiments?|data ?sets?|benchmarks?|run on|"
        r"demonstrated|validated|applied|settings?|kinds? of data|compared?|baselines?|getestet|"
        r"datens[aä]tzen?)\b",
        r"\b(?:experiment\w*|evaluat\w*|benchmarks?|data ?sets?|across|test\w*|empirical\w*|validat\w*|"
        r"demonstrat\w*|simulat\w*|real[- ]world|baselines?|tasks|domains)\b",
    ),
    _want(
        "enumeration",
        r"\b(?:which|what)(?: \w+)? (?:two|three|four|five|\w+s)\b|\b(?:kinds|types|sorts|parts|"
        r"components|properties|abilities|stages|steps|modules|ways|areas|domains|list|name the)\b|"
        r"\bwelche(?:n|r)? \w+en\b",
        r"\w+, [^,.]{2,60},? (?:and|or) \w+|\((?:i|1|a)\)|\b(?:two|three|four|both)\b|"
        r"\w+ and \w+[.)]",
    ),
    _want(
        "trouble",
        r"\b(?:problems?|drawbacks?|limitations?|weakness\w*|fail\w*|wrong|issues?|shortcomings?|"
        r"disadvantages?|downsides?|trouble|suffers?|bad|challenge\w*|obstacles?|difficult\w*)\b",
        r"\b(?:however|but|yet|fail\w*|limit\w*|suffer\w*|lack\w*|cannot|challeng\w*|problem\w*|issue\w*|"
        r"costly|expensive|inefficien\w*|poor\w*|hinder\w*|degrad\w*|bottleneck\w*|difficult\w*|only|"
        r"suboptimal\w*|bias\w*|despite|although|while)\b",
    ),
    _want(
        "proposal",
        r"\b(?:what (?:is|are)|who (?:is|are)|define|definition|propos\w*|introduc\w*|solution|what do they "
        r"do|address|tackle|remedy|instead|main idea|contribution|about)\b",
        r"\b(?:we (?:propose|introduce|present|develop|study|show|design|formulate|investigate)|propos\w*|"
        r"introduc\w*|present\w*|novel|this (?:paper|work)|is an?\b)\b",
    ),
)


def wants_of(question: str) -> tuple[Want, ...]:
    """Return the kinds of answer a question wants.

    Args:
        question: the question.
    """
    return tuple(want for want in WANTS if want.asks.search(question))
