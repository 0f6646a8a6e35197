"""What a question asks of a paper that its abstract does not give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.answering.asked_counts import other_count, uncounted
from assistant.answering.asked_names import unnamed
from assistant.answering.comparisons import OF_OTHERS
from assistant.answering.numbers import numbers, stands
from assistant.answering.polarity import contradiction
from assistant.answering.shortfalls import asks_limitations, limitations
from assistant.corpus.names import fold_name, looks_like_name
from assistant.corpus.paper import Paper
from assistant.corpus.spans import Span, overlaps
from assistant.index.terms import analyse, is_generic
from assistant.retrieval.commands import telling_spans
from assistant.retrieval.weights import common_share

__all__ = ["COMMON_NAMES", "Missing", "missing"]

_I = re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a paper does not answer a question.

    Args:
        what: what is asked for, in a few words that fit behind "does not give".
        kind: `attribute` (a kind of fact), `mention` (a name or number it never mentions) or
            `premise` (it says the opposite of what the question takes for granted).
        span: offsets of the sentence that says otherwise, for a premise.
    """

    what: str
    kind: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class _Attribute:
    what: str
    asks: re.Pattern[str]
    shows: re.Pattern[str]


def _attribute(what: str, asks: str, shows: str) -> _Attribute:
    return _Attribute(what, re.compile(asks, _I), re.compile(shows, _I))


_NEVER = r"(?!)"
_AMOUNT = (
    r"(?:\d[\d.,]*\s?[KMB]?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|"
    r"twenty|hundreds?|thousands?|millions?|billions?)"
)
_ATTRIBUTES = (
    _attribute(
        "its authors",
        r"\bwho (?:are|is|were|was) the (?:\w+ )?(?:authors?|writers?|researchers?|people)\b|\bwho (?:wrote|"
        r"authored|published|made|created|developed|built|invented|came up)\b|\b(?:name|list|give|"
        r"tell)\b.{0,20}\bauthors?\b|\bauthors?(?:'s?)? names?\b|\b(?:list of|the) authors of [^?]{3,60}\?$|\b(?:first|last|corresponding|"
        r"lead) author\b|\bwritten by whom\b|\bwer (?:sind|ist|hat)\b.{0,20}\bautor|\bqui[eé]n(?:es)?\b"
        r".{0,25}\b(?:autor|escribi)|作者(?:是谁|有谁)?",
        _NEVER,
    ),
    _attribute(
        "where its authors work",
        r"\b(?:which|what) (?:university|universities|city|town|institut\w+|lab(?:orator\w+)?|compan(?:y|ies)|"
        r"organi[sz]ations?|groups?|countr(?:y|ies)|school|department|team)\b.{0,60}\b(?:from|behind|"
        r"come|comes|wrote|did|made|built|developed|by|belong\w*|work\w*|released?|conducted|"
        r"authors?)\b|\baffiliat\w*|\bwhere (?:do|are|were) the authors\b|\buniversit(?:y|ät)\b",
        r"\b(?:university|institute of|laborator(?:y|ies)|authors are (?:at|from))\b",
    ),
    _attribute(
        "who funded it",
        r"\b(?:who|which \w+) (?:funded|funds|financed|sponsored|paid for)\b|\bfund(?:ing|ed|er)s?\b|\bgrants?\b",
        r"\b(?:funded|funding|sponsor\w*|supported by the)\b",
    ),
    _attribute(
        "the hardware it ran on",
        r"\b(?:which|what|how many|how much|kind of)\b.{0,30}\b(?:gpus?|tpus?|hardware|accelerators?|"
        r"machines?|cpus?|graphics cards?|vram|servers?|cluster)\b|\bgpu (?:hours?|days?|memory)\b|"
        r"\bon (?:which|what) (?:hardware|machine|gpu|device)\b",
        r"\b(?:gpus?|tpus?|cpus?|nvidia|a100|h100|v100|h200|rtx|jetson|xeon|graphics card|fpga)s?\b",
    ),
    _attribute(
        "the camera, arm or sensor used",
        r"\b(?:which|what) (?:\w+ ){0,2}(?:robot(?:ic)? arms?|arms?|cameras?|sensors?|grippers?|lidars?|"
        r"simulators?|microscopes?|headsets?|drones?)\b",
        r"\b(?:franka|panda|ur5|ur10|kuka|sawyer|xarm|aloha|realsense|kinect|zed|mujoco|isaac|carla|"
        r"pybullet|gazebo|habitat|unitree|spot|lidar|camera|gripper|simulator|sensor)s?\b",
    ),
    _attribute(
        "a learning rate",
        r"\blearning[- ]rates?\b|\blernrate\b|\btasa de aprendizaje\b|学习率",
        r"\blearning[- ]rates?\b",
    ),
    _attribute("a batch size", r"\bbatch[- ]sizes?\b", r"\bbatch(?:es|[- ]size)?\b"),
    _attribute(
        "how many epochs or steps it was trained for",
        r"\bhow many (?:training )?(?:epochs|steps|iterations|gradient steps|updates)\b|\bnumber of "
        r"(?:epochs|training steps)\b",
        rf"{_AMOUNT}\s(?:\w+\s)?(?:epochs?|steps?|iterations?|updates)\b",
    ),
    _attribute(
        "the optimiser or its settings",
        r"\bwh(?:ich|at) optimi[sz]ers?\b|\bweight decay\b|\bmomentum (?:value|coefficient)\b|\bdropout "
        r"rates?\b|\bwarm-?up\b|\blora rank\b|\bwhat (?:\w+ )?rank\b|\brandom seeds?\b|\bhyper-?parameters?\b",
        r"\b(?:adamw?|sgd|optimi[sz]er|weight decay|dropout|warm-?up|hyper-?parameters?|"
        r"rank[- ]?(?:of )?\d+|seeds?)\b",
    ),
    _attribute(
        "a number of parameters",
        r"\bhow many (?:\w+ )?(?:parameters|weights|params)\b|\bnumber of (?:\w+ )?parameters\b|\bparameter "
        r"count\b|\bhow (?:big|large) is the (?:\w+ )?(?:model|network)\b|\bmodel size\b",
        rf"{_AMOUNT}[- ]?(?:\w+[- ])?(?:parameters?|params)\b|\b\d+(?:\.\d+)?[MB]\b(?=[^.]{{0,40}}\bparam)|"
        r"parameters?[^.]{0,20}\b\d+(?:\.\d+)?\s?(?:[MBK]\b|million|billion)",
    ),
    _attribute(
        "how long training takes",
        r"\bhow (?:long|many (?:hours|days|minutes|weeks)|much time)\b.{0,60}\b(?:train|training|trained|"
        r"pre-?train\w*|fine-?tun\w*|to run|take to build|learn)\b|\btraining time\b|\bwall[- ]?clock\b",
        rf"{_AMOUNT}[- ]?(?:gpu[- ])?(?:hours?|days?|minutes?|weeks?|seconds?)\b|training time",
    ),
    _attribute(
        "what it cost",
        r"\bhow much (?:did|does|do|money|would|was)\b.{0,40}\b(?:cost|paid|pay|spend|spent|price)\b|\b(?:in )?"
        r"(?:dollars?|usd|euros?)\b|\bprice of\b|\bwhat did (?:it|this|they) cost\b",
        r"\$\s?\d|\b(?:dollars?|usd|cents?|euros?|price|budget)\b",
    ),
    _attribute(
        "what the people were paid",
        r"\b(?:paid|pay|compensat\w*|wages?|salar(?:y|ies)|remunerat\w*|reward(?:ed)? per (?:task|hour))\b",
        r"\b(?:paid|pay(?:ment)?|compensat\w*|wages?|remunerat\w*)\b",
    ),
    _attribute(
        "a licence",
        r"\blicen[cs]es?\b|\blicen[cs]ed\b|\blizenz\b|\blicencia\b",
        r"\b(?:licen[cs]e[ds]?|cc[- ]by|apache|mit license|public domain)\b",
    ),
    _attribute(
        "an agreement between annotators",
        r"\b(?:inter[- ]annotator|annotator) agreement\b|\b(?:cohen|fleiss)\b|\bkappa\b",
        r"\b(?:agreement|kappa)\b",
    ),
    _attribute(
        "how often it was cited",
        r"\bhow (?:many|often)\b.{0,20}\b(?:citations?|cited)\b|\bcitation count\b",
        _NEVER,
    ),
    _attribute(
        "whether it won an award",
        r"\b(?:best paper|award|oral|spotlight)\b.{0,30}\b(?:win|won|get|got|award|paper|presentation)\b|"
        r"\b(?:win|won|get|got|receive[ds]?)\b.{0,20}\b(?:awards?|prizes?|best paper)\b",
        r"\b(?:award|best paper|oral|spotlight)\b",
    ),
    _attribute(
        "a contact address",
        r"\be-?mail(?: address)?\b|\bcontact\b.{0,20}\b(?:author|address|details)\b|\b(?:tele)?phone numbers?\b",
        r"\S+@\S+",
    ),
    _attribute(
        "a release date",
        r"\bwhen (?:was|were|will|is|did)\b.{0,60}\b(?:released?|published|submitted|come out|available|"
        r"accepted)\b|\b(?:release|submission|publication) date\b",
        r"\b(?:released? (?:in|on)|(?:19|20)\d\d)\b",
    ),
    _attribute(
        "future work",
        r"\bfuture (?:works?|directions?|plans?|research|steps|stud(?:y|ies)|extensions?)\b|\bnext steps\b|\b(?:plan|plans|leave|leaves|left) "
        r"[^?]{0,20}\b(?:next|for later|for the future)\b",
        r"\bfuture (?:works?|directions?|research|stud(?:y|ies)|extensions?|investigation|development|progress|applications)\b|\bnext steps?\b|"
        r"\b(?:we|authors) (?:plan|intend|hope|leave)\b|\bopens? (?:up )?(?:new |the door|avenues|a path)|\bpaves? the way\b|\bremains? open\b|"
        r"\bpromising (?:direction|avenue|path)s?\b",
    ),
    _attribute(
        "its data sets",
        r"\b(?:which|what) (?:\w+ ){0,2}(?:data ?sets?|corpus|corpora|benchmarks?)\b[^?]{0,60}\b(?:use[sd]?|using|evaluat\w*|test\w*|train\w*|"
        r"run|ran|tried|experiment\w*|validat\w*|on)\b|\bdata ?sets? (?:of|in|behind|does|do|did|was|were|are|is|used)\b|"
        r"\b(?:its|the|their) (?:training |evaluation |test )?data ?sets?\W*$",
        r"\b(?:data ?sets?|data|corpus|corpora|benchmarks?|suites?|tasks?|domains?|experiment\w*|evaluat\w*|simulat\w*|validat\w*|collection|"
        r"trained on|tested on|questions|images|videos|samples|annotat\w*|settings?|environments?)\b|"
        r"(?<![.?!]\s)(?<!^)\b[A-Z][\w-]*[A-Z0-9][\w-]*",
    ),
    _attribute(
        "a carbon footprint or energy bill",
        r"\bcarbon\b|\bco2\b|\bkwh\b|\belectricity\b",
        r"\b(?:carbon|co2|kwh|electricity|emissions?)\b",
    ),
)
COMMON_NAMES = {
    fold_name(word)
    for word in "AI ML LLM LLMs NLP CV RL GPU PDF ICML arXiv OpenReview ACL ICLR NeurIPS CVPR EMNLP "
    "COLM AAAI IJCAI OK FAQ TLDR SOTA vs DNN NN API APIs VLM MLLM ID URL UI IDs LM LMs MT QA GNN CNN "
    "RNN OpenAI DeepMind Google Meta Microsoft NVIDIA Anthropic GitHub HuggingFace".split()
}
"""Names so widely used that a paper need not mention them."""
_TOKEN = re.compile(r"[^\W_](?:[\w+^-]|\.(?=\d))*")
_FREE = (
    r"(?:{word}[- ]free|without (?:\w+ ){{0,3}}{word}|no (?:\w+ )?{word}|not (?:need|requir\w*|rely)"
    r"\b[^.]{{0,40}}{word}|(?:eliminat|avoid|remov|bypass)\w*\b[^.]{{0,30}}{word}|instead of (?:\w+ )?{word})"
)
_NEEDS = re.compile(
    r"\b(?:need\w*|requir\w*|use[sd]?|using|train\w*|rely|relies|depend\w*|have to|must|retrain\w*|"
    r"employ\w*|build\w*|learn\w*|sacrific\w*|choose|chose)\b",
    _I,
)
_WHY = re.compile(
    r"^\W*(?:so |and |but )*(?:why|how come|what (?:makes|explains(?: that)?|causes|led)|for what "
    r"reason|what went wrong when)\b\s*(?:(?P<cannot>cannot|can[’']t)\b|(?:do|does|did|is|are|was|were|"
    r"has|have|can|could|should|will|would|must)(?P<not>n[’']t)?\b)?",
    _I,
)
"""With its verb; what a negated verb asks is never taken for a claim, for its words are turned."""


_YES_OR_NO = re.compile(
    r"^\W*(?:and |so |but )?(?:does|do|did|is|are|was|were|can|could|has|have|will|would)\b", _I
)
_OF_OTHERS = re.compile(
    r"\b(?:earlier|existing|previous|prior|traditional|conventional|current|other|older|standard|most|"
    r"today'?s)\b",
    _I,
)
_FAILING = re.compile(
    r"\b(?:fail\w*|struggl\w*|lack\w*|suffer\w*|break\w*|collaps\w*|degrad\w*|wors\w*|poor\w*|"
    r"hard\w*|difficult\w*|not|no|never|less|fewer|unable|without|cannot)\b",
    _I,
)
"""What is bad is told in many words, and whether two of them agree is more than a rule can tell."""

_COMMON_SHARE = 0.05


def missing(
    question: str,
    paper: Paper,
    *,
    named: Sequence[Span] = (),
    known: str = "",
    english: bool = True,
) -> Missing | None:
    """Tell what a question asks of a paper that its abstract does not give.

    Only what can be told surely is told: a kind of fact that leaves words, a name or figure that
    the abstract never mentions, or the opposite of what the question takes for granted.

    Args:
        question: the question.
        paper: the paper it asks about.
        named: where the question names the paper.
        known: words the collection spells out otherwise (acronyms and what they stand for).
        english: the question was asked in English; what it counts and names is read only then.

    Returns:
        None where nothing surely is missing.
    """
    text = paper.indexed_text
    if asks_limitations(question, named) and not limitations(paper):
        return Missing("limitations of its own", "attribute")
    for attribute in _ATTRIBUTES:
        if attribute.asks.search(question) and not attribute.shows.search(text):
            if attribute.what == "its authors" and paper.authors:
                return None
            return Missing(attribute.what, "attribute")
    lacking = (uncounted(question, text) or unnamed(question, paper)) if english else None
    if lacking is not None:
        return Missing(lacking, "attribute")
    premise = _false_premise(question, paper, named)
    if premise is not None:
        return premise
    if english and (other := other_count(question, paper.abstract)):
        return Missing(other[0], "premise", other[1])
    unknown = _unknown_name(question, text + " " + known, named) or _unknown_number(
        question, text, named
    )
    return Missing(unknown, "mention") if unknown else None


def _unknown_name(question: str, text: str, named: Sequence[Span]) -> str | None:
    folded = fold_name(text)
    letters = [char for char in question if char.isalpha()]
    if letters and sum(char.isupper() for char in letters) > 0.7 * len(letters):
        return None
    for match in _TOKEN.finditer(question):
        if overlaps(match.span(), named):
            continue
        token = match.group()
        plain = fold_name(token)
        if len(plain) < 2 or not looks_like_name(token) or plain in COMMON_NAMES:
            continue
        if plain in folded or plain.removesuffix("s") in folded:
            continue
        if not _is_whole_name(token) or _abbreviates(token, text):
            continue
        if all(fold_name(part) in folded for part in re.split(r"[-_/]", token)):
            continue
        return token
    return None


def _is_whole_name(token: str) -> bool:
    """Tell names such as GPT-4 from words made with one, such as "LLM-written"."""
    parts = token.split("-")
    worded = any(len(part) > 2 and part.islower() for part in parts)
    return not worded and any(looks_like_name(part) for part in parts)


def _abbreviates(token: str, text: str) -> bool:
    """Tell whether words that follow one another in a text have an acronym's letters as initials."""
    letters = fold_name(token.removesuffix("s"))
    if not token.removesuffix("s").isupper() or len(letters) < 2:
        return False
    initials = "".join(word[0].lower() for word in re.findall(r"[^\W\d_]+", text))
    return letters in initials


def _unknown_number(question: str, text: str, named: Sequence[Span]) -> str | None:
    """A figure in the question that the abstract does not have; small counts are ways to ask."""
    held = numbers(text)
    for quantity in numbers(question):
        written = question[quantity.start : quantity.end]
        inside = overlaps((quantity.start, quantity.end), named)
        spoken = not any(char.isdigit() for char in written)
        if inside or spoken or quantity.unit == "d":  # "3D scans" are a kind of scans.
            continue
        inside_name = re.search(r"[A-Za-z-]$", question[: quantity.start])
        behind = question[quantity.end : quantity.end + 1]
        if inside_name or behind.isalpha() or behind == "-":
            continue
        if not stands(quantity, held) and not _digits_stand(written, text):
            return written
    return None


def _digits_stand(written: str, text: str) -> bool:
    """Tell whether a figure stands inside a name, as 2.5 and 7 do in "Qwen2.5-Omni-7B"."""
    digits = re.search(r"\d+(?:[.,]\d+)*", written)
    return digits is not None and bool(
        re.search(rf"(?<![\d.,]){re.escape(digits.group())}(?![\d]|[.,]\d)", text)
    )


def _tells(word: str) -> bool:
    """A word whose absence tells something: not "model", "their" or "data"."""
    if len(word) < 3 or (word.islower() and len(word) < 5):
        return False
    terms = [term.text for term in analyse(word)]
    return not any(is_generic(term) or common_share(term) > _COMMON_SHARE for term in terms)


def _false_premise(question: str, paper: Paper, named: Sequence[Span]) -> Missing | None:
    """What the question takes for granted, read as a claim, against the sentences nearest to it."""
    spans = telling_spans(paper.abstract)
    sentences = [paper.abstract[start:end] for start, end in spans]
    if _YES_OR_NO.match(question):
        return None
    if _NEEDS.search(question):
        for match in _TOKEN.finditer(question):
            word = match.group().removesuffix("s")
            if not _tells(word) or overlaps(match.span(), named):
                continue
            free = re.compile(_FREE.format(word=re.escape(word) + "s?"), _I)
            for start, end in spans:
                if free.search(paper.abstract[start:end]):
                    return Missing(match.group(), "premise", (start, end))
    why = _WHY.match(question)
    if why is None or why["not"] or why["cannot"] or _OF_OTHERS.search(question):
        return None
    claim = question[why.end() :].strip(" ?.")
    if _FAILING.search(claim):
        return None
    nearest = _nearest(claim, sentences)
    denied = [contradiction(claim, [sentences[i]], sentences) for i in nearest]
    # A question may well be about other work.
    if denied and not {None, OF_OTHERS} & set(denied):
        return Missing(claim, "premise", spans[nearest[0]])
    return None


def _nearest(claim: str, sentences: Sequence[str]) -> list[int]:
    """Find the sentences that share most of a claim's words; none where they share none."""
    told = {term.text for term in analyse(claim) if not is_generic(term.text)}
    shared = [len(told & {term.text for term in analyse(text)}) for text in sentences]
    most = max(shared, default=0)
    return [i for i, count in enumerate(shared) if count == most] if most else []
