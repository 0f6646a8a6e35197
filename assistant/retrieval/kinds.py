"""What kind of question it is, told by small rules.

The order matters: a greeting is tried before a list, an attack before anything that is answered.
"""

from __future__ import annotations

import re
from typing import Literal

from assistant.retrieval.orders import is_attack, strip_code

__all__ = [
    "PAPER_NOUNS",
    "Kind",
    "SmallTalk",
    "asks_for_people",
    "kind_of",
    "small_talk",
    "strip_markup",
]

Kind = Literal["list", "fact", "compare", "count", "small_talk", "out_of_scope"]
SmallTalk = Literal["greeting", "thanks", "bye", "ability", "identity", "joke", "well", "ok"]

PAPER_NOUNS = (
    r"(?:papers?|abstracts?|articles?|works?|stud(?:y|ies)|publications?|submissions?|authors|"
    r"preprints?|posters?|research)"
)
_METHOD_NOUNS = (
    r"(?:methods|approaches|techniques|frameworks|algorithms|systems|models|architectures|"
    r"benchmarks|data ?sets|projects|groups|teams|people|researchers|ideas|solutions|theories|"
    r"analyses|surveys|evaluations|ones)"
)

_I = re.IGNORECASE

_SMALL_TALK: tuple[tuple[SmallTalk, re.Pattern[str]], ...] = (
    (
        "thanks",
        re.compile(
            r"(?:many |ok(?:ay)?[,.! ]+|great[,.! ]+)?(?:thanks?|thank you|thx|ty|cheers|danke|"
            r"gracias|merci|谢谢|感谢|ありがとう)\b.{0,60}|谢谢.*",
            _I,
        ),
    ),
    (
        "bye",
        re.compile(
            r"(?:good ?bye|bye|see you|see ya|farewell|ciao|tschüss|auf wiedersehen|adi[oó]s|"
            r"au revoir|再见|that'?s all|i'?m done|have a (?:nice|good) (?:day|one|evening))\b.{0,60}"
            r"|再见.*",
            _I,
        ),
    ),
    (
        "identity",
        re.compile(
            r"(?:are you|am i (?:talking|speaking|chatting|writing) (?:to|with)|is this|"
            r"do i (?:talk|speak) (?:to|with))(?: (?:an?|some|the|really|actually|just|even|only|maybe|"
            r"possibly|any|kind of|sort of)){0,3}(?: (?:real|live|actual|large|language))*"
            r" (?:human|person|people|model|bot|chatbot|robot|ai|a\.i\.|real|machine|program|alive|"
            r"chatgpt|someone|somebody)(?: (?:model|program|system|or|i|behind|here|there|answering|talking|speaking|"
            r"writing|typing|assistant|being)\b.{0,30}|[,;:.!?].{0,30})?|(?:who|what) are you\b.{0,20}|"
            r"what(?:'s| is) your name\b.{0,10}|"
            r"who (?:made|built|created|wrote) you\b.{0,10}|bist du ein mensch.{0,10}|"
            r"wer bist du.{0,10}|¿?quién eres.{0,10}|你是谁.{0,5}|你是人.{0,8}",
            _I,
        ),
    ),
    (
        "ability",
        re.compile(
            r"(?:so |and |hi[,.! ]+|hello[,.! ]+)?(?:what (?:can|do|could) (?:you|this|i)"
            r"(?: \w+){0,2} (?:do|help(?: me)? with|offer|ask(?: you)?|answer)(?: here| for me)?|"
            r"how (?:can|could) you help(?: me)?|"
            r"(?:can|could) you help(?: me)?|help(?: me)?(?: please)?|how do(?:es)? (?:you|this|it) "
            r"work|what is this(?: \w+){0,2}|how do i use (?:you|this|it)|what are you (?:for|able to "
            r"do)|was kannst du(?: alles)?(?: tun)?|¿?qué puedes hacer|que peux-tu faire|你能做什么)",
            _I,
        ),
    ),
    (
        "joke",
        re.compile(
            r"(?:please |can you |could you )?(?:tell|make|sing|say|give)(?: me)?(?: an?other| a| us)?"
            r"(?: \w+){0,2} ?(?:joke|laugh|song|something funny|fun fact|pun)\b.{0,30}|"
            r"do you (?:love|like|hate|dream|feel|sleep|have feelings).{0,40}|i love you.{0,20}",
            _I,
        ),
    ),
    (
        "well",
        re.compile(
            r"(?:hi|hello|hey)?[,! ]*(?:how(?:'s| is| are) (?:you|it going|things|life|your day)"
            r"|how do you do|what'?s up|sup|wie geht(?:'s| es).{0,10}|¿?c[oó]mo est[aá]s).{0,30}",
            _I,
        ),
    ),
    (
        "greeting",
        re.compile(
            r"(?:hi+|hello+|hey+|howdy|greetings|yo|good (?:morning|afternoon|evening|day)|hallo|"
            r"moin|servus|guten (?:tag|morgen|abend)|hola|buen[oa]s(?: d[ií]as| tardes| noches)?|"
            r"bonjour|salut|你好|您好|嗨|こんにちは|nice to meet you)\b.{0,25}|(?:你好|您好|嗨).{0,6}",
            _I,
        ),
    ),
    (
        "ok",
        re.compile(
            r"(?:ok(?:ay)?|k|kk|fine|alright|all right|cool|great|nice|good|super|perfect|awesome|"
            r"wow|hm+|mhm|aha|i see|got it|understood|sure|yes|yeah|yep|no|nope|never ?mind|right|"
            r"sounds good|well done|good job|interesting|gut|bien|vale|好的?|test(?:ing)?)"
            r"(?: then| thanks?| work| one| bot)?",
            _I,
        ),
    ),
)

_OPENINGS = ("thanks", "bye", "greeting")
_PAPERS = re.compile(rf"\b(?:which|any|list|find|show|have) .*\b{PAPER_NOUNS}\b|论文|文章|摘要", _I)
_QUESTION_WORD = re.compile(
    r"\b(?:which|what|who|why|how|where|when|does|do|is|are|can|compare|explain|find|show|"
    r"welche\w*|was|wie|warum|qu[eé]|cu[aá]l\w*|quels?|quelles?)\b|[哪谁何]|什么|多少|为什么",
    _I,
)
_COMMANDS = re.compile(r"^\W*(?:please )?(?:compare|explain|find|show)\b", _I)

_TASKS = tuple(
    re.compile(pattern, _I)
    for pattern in (
        r"^(?:please |can you |could you |would you |i need you to |i want you to )*"
        r"(?:write|compose|draft|generate|code|implement|program|create|draw|paint|design|build|make)"
        r"\b[^.?!\n]{0,30}\b(?:function|code|script|program|poem|essay|e-?mail|letter|song|story|"
        r"image|picture|logo|website|app|class|regex|query|haiku|cv|resume|recipe|limerick|tweet|"
        r"blog|paper for me|homework|method that|loop|game)\b",
        r"^(?:please |can you |could you )*(?:fetch|download|visit|browse|curl|wget|execute|run|decode|decrypt)\b"
        r"[^?\n]{0,40}(?:https?://|www\.|\.\w{2,4}\b|[A-Za-z0-9+/]{24,}|\b(?:command|script|code|file|link)\b)",
        r"^(?:please |can you |could you )*(?:translate|solve|calculate|compute|fix|debug|book|order|"
        r"buy|play|remind|send|call|open|turn)\b",
        r"\b(?:weather|forecast)\b.{0,40}\b(?:today|tomorrow|tonight|week|in [A-Z]\w+|be like)\b",
        r"\bwhat(?:'s| is) the (?:time|date|weather|news|stock)\b|\bwhat time is it\b|"
        r"\bwhat day is (?:it|today)\b",
        r"^\W*(?:what(?:'s| is) )?-?\d+(?:\.\d+)?\s*[-+*/^x×]\s*-?\d+(?:\.\d+)?\s*=?\s*\??\s*$",
        r"\b(?:should i (?:buy|invest|eat|marry)|recommend (?:me )?an? (?:restaurant|movie|film|book|"
        r"hotel|song))\b",
    )
)

_COLLECTION = r"(?:the|this|your) (?:whole |entire )?(?:collection|library|index|database)\b"
_COUNT = re.compile(
    rf"\b(?:how many|number of|count(?: of)?|wie viele|cu[aá]nt[oa]s|quant[oa]s|quant[ie]|hoeveel|combien d[e'])\b"
    rf"(?: (?:of )?(?:the |these |those |all |our |different |other |your )*)?\s*(?:[\w-]+ ){{0,2}}?"
    rf"(?:{PAPER_NOUNS}|of (?:them|those|these)|art[ií]culos|articoli|artigos|artikelen|lavori|trabalhos|trabajos|travaux|arbeiten|beiträge|documents|entries|"
    rf"records)\b|有?多少(?:篇|个)?[^？?]{{0,6}}(?:论文|文章|摘要)|(?:几|多少)篇|"
    rf"\bhow (?:big|large) is {_COLLECTION}|\bsize of {_COLLECTION}",
    _I,
)
_COUNT_BARE = re.compile(
    r"^\W*(?:and |so |then )?how many (?:of (?:them|those|these) )?(?:(?:are|were) (?:about|on|in|from|"
    r"concerned|related|dealing|studying|using|there (?:about|on))|deals? with|stud(?:y|ies)|mentions?|"
    r"discuss(?:es)?|covers?|concerns?|address(?:es)?|talk about|look at|use|uses)\b",
    _I,
)
_COUNT_METHODS = re.compile(
    rf"^\W*(?:and |so )?how many (?:different |other )?{_METHOD_NOUNS} "
    r"(?:are there|here|in (?:the|this) collection|deal|study|address|use|work|propose|cover)\b",
    _I,
)
_COMPARE = re.compile(
    r"^(?:please |can you )?(?:compare|contrast)\b|[.?!] (?:compare|contrast)\b|"
    r"\bdiffer(?:s|ences?)?\b|\bversus\b|\bvs\b|\bin contrast\b|\brespectively\b|"
    r"\b(?:how|what|which)\b[^?]*\b(?:each|both)\b(?! other)|^both (?:the )?\b[^.?]{3,90}\band\b|"
    r"\bwhich (?:one |paper |method )?(?:is|has|gets|reaches|reports)\b[^?]*\bor\b|"
    r"\bvergleich\w*|\bunterschied\w*|\bdiferencia\w*|\bcompara\b|比较|区别|对比",
    _I,
)
_DIFFER = re.compile(
    r"\bdiffer(?:s|ences?)?\b|\bcompare\b(?! to)|\bin contrast\b|\bunterschied\w*|\bdiferencia\w*|区别|对比",
    _I,
)
_COMPARING = re.compile(
    r"(?:please |can you )?(?:compare|contrast)\b|"
    r"which (?:one |paper |method )?(?:is|has|gets|reaches|reports)\b[^?]*\bor\b|"
    r"vergleich\w*|unterschied\w*|diferencia\w*|compara\b|比较|区别|对比",
    _I,
)
_VERSUS = re.compile(r"\w\W+(?:versus|vs\.?)\W+\w", _I)
_EACH_TAIL = re.compile(r"\b(?:each|of each|respectively|both)\W*$|\bof each[?.]", _I)
_SEVERAL = re.compile(
    r"\b(?:two|three|both|other) (?:of (?:the|these) |different |\w+ )?(?:papers|works|methods|studies|"
    r"approaches|benchmarks|data ?sets)\b|\bone\b.{5,200}\b(?:another|the other)\b|"
    r"\bboth\b(?! (?:when|if|in|on|while|as|at|by|to)\b).{3,120}\band\b|\band\b.{3,200}\beach\b|\beach\b.{3,160}\band\b",
    _I,
)

_LIST = tuple(
    re.compile(pattern, _I)
    for pattern in (
        r"\b(?:which|what|any|all|list|show|find|give|every|more|other|some|are there|the) "
        r"(?:of (?:the|these|those|your) |me |all |the |other |recent |new |different |here |\w+ed |"
        r"[\w-]+ ){0,2}?(?:papers|abstracts|articles|works|studies|publications|"
        r"submissions|preprints|posters)\b(?! (?:say|report|claim)s? about\b)",
        rf"(?:^|[.?!] )(?:(?:which|what|list|show|name|find|are there any|any|give me)\b(?: me)?(?: all| the)*"
        rf"(?: [\w-]+){{0,2}}? {_METHOD_NOUNS})\b",
        r"^(?:(?:show|give|find|get|tell) me |[\w-]+ )?(?:papers|work|works|research|abstracts|"
        r"articles|studies|methods|approaches|literature|anything|everything|something) "
        r"(?:on|about|for|that|which|with|using|in|where|dealing|related|addressing|from|by|useful|of|to|around|concerning|tackling|studying|since|"
        r"before|after|until|between|published|at)\b",
        r"\b(?:is|are|was|do (?:you|we) have|have you got|got|find|know of) (?:there )?(?:anything|"
        r"something|any (?:paper|papers|work|works|research|study|studies|article)|papers|works?|"
        r"research|studies|much|some (?:work|research))\b",
        r"\b(?:what|which) (?:kind of )?(?:work|research|literature|papers?)\b.{0,15}\b(?:is|are|was|"
        r"exists?|has been|have been|do|deals?|covers?|on|about)\b",
        r"\bwho (?:else )?(?:works? on|stud(?:y|ies)|looks? at|uses?|proposes?|investigates?|deals? with|"
        r"addresses|tackles|evaluates?|has worked)\b",
        rf"\b(?:in|for|by) which (?:of the )?{PAPER_NOUNS}\b",
        r"^(?:[\w-]+ ){1,6}papers?\W*$|\bwhat (?:do (?:we|you) have|is there|should i read)\b|"
        r"\bwhat there is\b|^who(?! (?:are|is|were|was|(?:wrote|authored|published|made|created|"
        r"developed|built|invented|funded|conducted|reviewed|won|discovered|founded|directed|painted|"
        r"composed) (?:the|this|that|it|its))\b) \w+",
        r"^(?:quali|che|ci sono|esistono|elenca\w*|mostra\w*|trova\w*)\b.{0,30}\b(?:articoli|lavori|studi|papers?|metodi|"
        r"pubblicazioni|approcci)\b|^(?:quais|que|h[áa]|existem|liste|mostre|encontre)\b.{0,30}\b(?:artigos|trabalhos|estudos|"
        r"papers?|m[eé]todos|publica[cç][oõ]es|abordagens)\b|^(?:welke|zijn er|er zijn|toon|geef|vind|noem)\b.{0,30}\b(?:artikelen|"
        r"artikels|papers?|studies|onderzoeken|werken|methoden|publicaties)\b|^(?:zeige?|liste|nenne|finde)\b.{0,30}\b(?:papers?|"
        r"arbeiten|artikel|beiträge|studien|methoden)\b|^(?:hay|existen|lista\w*|mu[eé]stra\w*|encuentra)\b.{0,30}\b(?:art[ií]culos|"
        r"trabajos|estudios|papers?|m[eé]todos)\b|^(?:y a-t-il|existe-t-il|est-ce qu['’]il y a|montre\w*|liste\w*|trouve\w*|donne\w*)\b"
        r".{0,30}\b(?:articles|travaux|papiers|papers?|m[eé]thodes|[eé]tudes|publications)\b",
        r"^(?:welche|gibt es|was gibt es)\b.{0,40}\b(?:papers?|arbeiten|artikel|beiträge|methoden|"
        r"ansätze|studien|abstracts|veröffentlichungen)\b|^(?:qu[eé]|cu[aá]les)\b.{0,30}\b(?:art[ií]culos|"
        r"trabajos|papers|estudios|m[eé]todos)\b|^(?:quels?|quelles?)\b.{0,30}\b(?:articles|travaux|"
        r"papiers|m[eé]thodes|[eé]tudes)\b|(?:哪些|有哪些|有没有).{0,12}(?:论文|文章|方法|工作|研究|摘要)|"
        r"哪几篇",
        r"^anything\b|\btopics?\b.{0,20}\bcovered\b|\bwhich (?:ones\b|of (?:them|those|these))\b|"
        r"^(?:does|do|did|is|are|has|have) (?:there )?(?:any(?:one|body)?|some(?:one|body)?|an?|one)\b"
        r"[^?]{0,20}?\b(?:paper|work|study|abstract|method|approach|one|body)\b",
        r"^are there (?:any|new|other|more)\b|^which (?:authors|groups|teams|people)\b",
    )
)
_PEOPLE = re.compile(
    r"^\W*(?:and |so )?(?:who|wer|qui|qui[eé]n(?:es)?|chi|quem|wie schrijft)(?: else)? (?!are|is|were|was)\w+|"
    r"\b(?:which|what|list|name|show|find|give)\b[^?.!]{0,16}\b(?:authors|researchers|people|groups|teams|scientists|labs)\b",
    _I,
)
_ELEMENTS = (
    r"(?:a|abbr|audio|b|base|body|br|button|canvas|code|details|div|em|embed|font|form|frame|h[1-6]|"
    r"head|hr|html|i|iframe|image|img|input|li|link|marquee|math|meta|object|ol|option|p|pre|s|script|"
    r"select|small|source|span|strong|style|sub|sup|svg|table|tbody|td|template|textarea|th|title|tr|"
    r"track|u|ul|video)"
)
# A name in angle brackets (<RelayCaching>) is told from an element by its capitals.
_MARKUP = re.compile(
    rf"<(script|style)\b[^>]*>.*?</\1\s*>|</?{_ELEMENTS}\b[^<>]{{0,200}}>|"
    r"</?(?-i:[a-z])[^<>]{0,200}>|</?[a-zA-Z][\w-]*\s[^<>]{0,200}=[^<>]{0,200}>|<!--.*?-->",
    _I | re.DOTALL,
)


def strip_markup(text: str) -> str:
    """Remove HTML and code from a question; what a script holds goes with it.

    Args:
        text: the question as it was typed.
    """
    return strip_code(_MARKUP.sub(" ", text))


def small_talk(text: str) -> SmallTalk | None:
    """Recognise a message that is no question about papers.

    Args:
        text: the message.

    Returns:
        What it is, None where it is something else.
    """
    bare = text.strip().strip("!.?… ,;:)(😀🙂👍🙏").strip()
    if not bare or len(bare) > 90:
        return None
    for name, pattern in _SMALL_TALK:
        if pattern.fullmatch(bare):
            return None if name in _OPENINGS and _asks(bare, text) else name
    return None


def _asks(bare: str, text: str) -> bool:
    """Tell whether a question follows a greeting: "hi, what is SAIM?", but not "how are you?"."""
    rest = bare.split(maxsplit=1)[1] if " " in bare else bare[2:]
    rest = re.sub(r"^\W*(?:you|morning|afternoon|evening|day|there)\b", "", rest)
    if _PAPERS.search(rest):
        return True
    asked = _QUESTION_WORD.search(rest) and not re.search(r"\byou\b", rest, _I)
    return bool(asked) and ("?" in text or "？" in text or bool(_COMMANDS.search(rest)))


def kind_of(text: str, *, named: int = 0) -> Kind:
    """Sort a question.

    Args:
        text: the question, resolved to stand alone.
        named: how many papers of the collection it names.

    Returns:
        Its kind; `fact` where no rule says otherwise.
    """
    if small_talk(text):
        return "small_talk"
    if is_attack(text) or any(pattern.search(text.strip()) for pattern in _TASKS):
        return "out_of_scope"
    methods = _COUNT_METHODS.search(text) or _COUNT_BARE.search(text)
    if _COUNT.search(text) or (not named and methods):
        return "count"
    if _is_compare(text, named):
        return "compare"
    asks_one = named > 1 or (named and _asks_of_named(text))
    bare = text.strip().lstrip("¿¡\"'( ")
    if not asks_one and any(pattern.search(bare) for pattern in _LIST):
        return "list"
    return "fact"


def asks_for_people(text: str) -> bool:
    """Tell a question for those who wrote papers: "who works on bees?".

    Args:
        text: a question that asks for papers.
    """
    return _PEOPLE.search(text) is not None


def _is_compare(text: str, named: int) -> bool:
    if named >= 2:
        return True
    asked = bool(_COMPARE.search(text) or _EACH_TAIL.search(text))
    sides = _SEVERAL.search(text) or _COMPARING.match(text) or _VERSUS.search(text)
    return asked and bool(sides or (named and _DIFFER.search(text)))


def _asks_of_named(text: str) -> bool:
    return not re.search(
        r"\b(?:papers|abstracts|articles|works|studies|publications|methods)\b", text, _I
    )
