"""What the assistant itself says, in the languages it knows."""

from __future__ import annotations

from assistant.retrieval.kinds import SmallTalk

__all__ = ["UNVERIFIED_MARKS", "say", "small_talk_reply"]

_PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "unverified": "(unverified)",
        "declined": "No abstract in this collection answers this.",
        "nearest": "Nearest, but not an answer: {labels}.",
        "attribute": "The abstract of {label} does not give {what}.",
        "attribute_any": "The abstracts do not give {what}.",
        "not_in": "The abstract of {label} does not mention {what}.",
        "stranger": "No abstract in this collection mentions {what}.",
        "premise": "The abstract of {label} says otherwise:",
        "says": "What it does say:",
        "listed_one": "One paper:",
        "listed": "{count} papers:",
        "found_one": "One paper, by calibrated relevance, of {judged} judged:",
        "found": "{count} papers, by calibrated relevance, of {judged} judged:",
        "judged_one": "One paper; {judged} of {candidates} candidates judged:",
        "judged": "{count} papers; {judged} of {candidates} candidates judged:",
        "judged_none": "No abstract fully fits; {judged} of {candidates} candidates judged.",
        "partly": "Partly:",
        "rest_one": "Judging the other candidate would take one call and about {tokens} tokens (ASSISTANT_MAX_JUDGED sets how many are judged).",
        "rest": "Judging the other {count} candidates would take about {calls} calls and {tokens} tokens (ASSISTANT_MAX_JUDGED sets how many are).",
        "none": "No abstract in this collection is about this; {judged} were judged.",
        "no_match": "No paper in this collection passes the filter {where}.",
        "passing_one": "One paper in this collection passes the filter {where}.",
        "passing": "{count} papers in this collection pass the filter {where}.",
        "total_one": "The collection holds one paper.",
        "total": "The collection holds {count} papers.",
        "scope": "I answer questions about the papers in this collection, from their abstracts and "
        "with citations; this is not such a question.",
        "refused": "I only answer questions about the papers in this collection, from what their "
        "abstracts say. I do not follow other instructions, show my own, or make things up.",
        "empty": "Ask a question about the papers, for example “which papers study …?”.",
        "translated": "The abstracts are quoted in their own language.",
        "no_years": "No paper here tells its year, so “{said}” could not be applied.",
        "by_year": "Newest first, by the years of their records.",
        "by_year_old": "Oldest first, by the years of their records.",
        "without_year": "Papers here that tell no year: {count}.",
        "span_read": "“{said}” is read as year {years}; the newest paper here is of {newest}.",
        "word": "{count} of {total} abstracts contain “{what}”, as a whole word or phrase, in any case:",
        "word_mentioned": "{count} of {total} abstracts mention “{what}”, looked up letter by letter:",
        "word_none": "None of {total} abstracts contains “{what}” as a whole word or phrase, in any case.",
        "cites": "Abstracts do not tell who cites whom.",
        "naming": "Abstracts here that name {what}:",
        "naming_none": "No other abstract here names {what}.",
        "affiliation": "Neither abstracts nor their records tell where authors work, so papers from {what} cannot be told.",
        "near": "{count} papers whose abstracts come nearest to {label}, the nearest first:",
        "no_more": "No further paper in this collection is about this; already shown: {count}.",
        "no_such": "The last list does not go so far; papers in it: {count}.",
        "not_stating": "Read as: papers whose abstracts do not state “{what}”. Left out, for their abstracts state it: {count}.",
        "lacking": "{count} of {total} papers in this collection do not state “{what}”:",
        "lacking_said": "{count} of {total} papers in this collection do not state “{what}”, or say that they do without it; those that say so come first, quoted:",
        "rest_of": "{count} of {total} papers, without those shown before:",
        "told_all": "The abstract of {label} says no more than was quoted.",
        "alone": "Nothing is named to compare {label} with; this is what its abstract says:",
        "alone_compared": "Nothing is named to compare {label} with; its own abstract compares it so:",
        "no_authors": "The records here name no authors.",
        "english_best": "Without a model, questions are understood best in English.",
    },
    "de": {
        "unverified": "(nicht belegt)",
        "declined": "Kein Abstract in dieser Sammlung beantwortet das.",
        "nearest": "Am nächsten, aber keine Antwort: {labels}.",
        "attribute": "Das Abstract von {label} nennt {what} nicht.",
        "attribute_any": "Die Abstracts nennen {what} nicht.",
        "not_in": "Das Abstract von {label} erwähnt {what} nicht.",
        "stranger": "Kein Abstract in dieser Sammlung erwähnt {what}.",
        "premise": "Das Abstract von {label} sagt etwas anderes:",
        "says": "Was dort steht:",
        "listed_one": "Ein Paper:",
        "listed": "{count} Papers:",
        "found_one": "Ein Paper nach kalibrierter Relevanz, von {judged} geprüften:",
        "found": "{count} Papers nach kalibrierter Relevanz, von {judged} geprüften:",
        "judged_one": "Ein Paper; {judged} von {candidates} Kandidaten beurteilt:",
        "judged": "{count} Papers; {judged} von {candidates} Kandidaten beurteilt:",
        "judged_none": "Kein Abstract passt ganz; {judged} von {candidates} Kandidaten beurteilt.",
        "partly": "Teilweise:",
        "rest": "Die übrigen {count} Kandidaten zu beurteilen, kostet etwa {calls} Aufrufe und {tokens} Tokens (ASSISTANT_MAX_JUDGED setzt die Grenze).",
        "none": "Kein Abstract in dieser Sammlung handelt davon; {judged} wurden geprüft.",
        "no_match": "Kein Paper dieser Sammlung passt zum Filter {where}.",
        "passing_one": "Ein Paper dieser Sammlung passt zum Filter {where}.",
        "passing": "{count} Papers dieser Sammlung passen zum Filter {where}.",
        "total_one": "Die Sammlung enthält ein Paper.",
        "total": "Die Sammlung enthält {count} Papers.",
        "scope": "Ich beantworte Fragen zu den Papers dieser Sammlung, aus ihren Abstracts und mit "
        "Belegen; das ist keine solche Frage.",
        "refused": "Ich beantworte nur Fragen zu den Papers dieser Sammlung, aus ihren Abstracts.",
        "empty": "Stelle eine Frage zu den Papers.",
        "english_best": "Ohne Modell werden Fragen auf Englisch am besten verstanden.",
        "translated": "Die Abstracts werden in ihrer eigenen Sprache zitiert.",
    },
    "es": {
        "unverified": "(sin verificar)",
        "declined": "Ningún resumen de esta colección responde a esto.",
        "nearest": "Lo más cercano, pero no una respuesta: {labels}.",
        "attribute": "El resumen de {label} no indica {what}.",
        "attribute_any": "Los resúmenes no indican {what}.",
        "not_in": "El resumen de {label} no menciona {what}.",
        "stranger": "Ningún resumen de esta colección menciona {what}.",
        "premise": "El resumen de {label} dice otra cosa:",
        "says": "Lo que sí dice:",
        "listed_one": "Un artículo:",
        "listed": "{count} artículos:",
        "found_one": "Un artículo, por relevancia calibrada, de {judged} examinados:",
        "found": "{count} artículos, por relevancia calibrada, de {judged} examinados:",
        "judged_one": "Un artículo; {judged} de {candidates} candidatos evaluados:",
        "judged": "{count} artículos; {judged} de {candidates} candidatos evaluados:",
        "judged_none": "Ningún resumen encaja del todo; {judged} de {candidates} candidatos evaluados.",
        "partly": "En parte:",
        "rest": "Evaluar los otros {count} candidatos costaría unas {calls} llamadas y {tokens} tokens (ASSISTANT_MAX_JUDGED fija el límite).",
        "none": "Ningún resumen de esta colección trata de esto; se examinaron {judged}.",
        "no_match": "Ningún artículo de esta colección cumple el filtro {where}.",
        "passing_one": "Un artículo de esta colección cumple el filtro {where}.",
        "passing": "{count} artículos de esta colección cumplen el filtro {where}.",
        "total_one": "La colección contiene un artículo.",
        "total": "La colección contiene {count} artículos.",
        "scope": "Respondo preguntas sobre los artículos de esta colección, a partir de sus "
        "resúmenes y con citas; esta no lo es.",
        "refused": "Solo respondo preguntas sobre los artículos de esta colección, a partir de sus "
        "resúmenes.",
        "empty": "Haz una pregunta sobre los artículos.",
        "english_best": "Sin un modelo, las preguntas se entienden mejor en inglés.",
        "translated": "Los resúmenes se citan en su propio idioma.",
    },
    "fr": {
        "unverified": "(non vérifié)",
        "declined": "Aucun résumé de cette collection ne répond à cela.",
        "nearest": "Le plus proche, mais pas une réponse : {labels}.",
        "attribute": "Le résumé de {label} n'indique pas {what}.",
        "attribute_any": "Les résumés n'indiquent pas {what}.",
        "not_in": "Le résumé de {label} ne mentionne pas {what}.",
        "stranger": "Aucun résumé de cette collection ne mentionne {what}.",
        "premise": "Le résumé de {label} dit autre chose :",
        "says": "Ce qu'il dit :",
        "listed_one": "Un article :",
        "listed": "{count} articles :",
        "found_one": "Un article, selon la pertinence calibrée, sur {judged} examinés :",
        "found": "{count} articles, selon la pertinence calibrée, sur {judged} examinés :",
        "judged_one": "Un article ; {judged} candidats évalués sur {candidates} :",
        "judged": "{count} articles ; {judged} candidats évalués sur {candidates} :",
        "judged_none": "Aucun résumé ne convient entièrement ; {judged} candidats évalués sur {candidates}.",
        "partly": "En partie :",
        "rest": "Évaluer les {count} autres candidats prendrait environ {calls} appels et {tokens} tokens (ASSISTANT_MAX_JUDGED fixe la limite).",
        "none": "Aucun résumé de cette collection n'en parle ; {judged} ont été examinés.",
        "no_match": "Aucun article de cette collection ne passe le filtre {where}.",
        "passing_one": "Un article de cette collection passe le filtre {where}.",
        "passing": "{count} articles de cette collection passent le filtre {where}.",
        "total_one": "La collection contient un article.",
        "total": "La collection contient {count} articles.",
        "scope": "Je réponds aux questions sur les articles de cette collection, à partir de leurs "
        "résumés et avec des citations ; ceci n'en est pas une.",
        "refused": "Je ne réponds qu'aux questions sur les articles de cette collection.",
        "empty": "Posez une question sur les articles.",
        "english_best": "Sans modèle, les questions sont mieux comprises en anglais.",
        "translated": "Les résumés sont cités dans leur propre langue.",
    },
    "zh": {
        "unverified": "（未经证实）",
        "declined": "本合集中没有摘要能回答这个问题。",
        "nearest": "最接近但不是答案：{labels}。",
        "attribute": "{label} 的摘要没有给出{what}。",
        "attribute_any": "这些摘要没有给出{what}。",
        "not_in": "{label} 的摘要没有提到 {what}。",
        "stranger": "本合集中没有摘要提到 {what}。",
        "premise": "{label} 的摘要的说法不同：",
        "says": "摘要中写道：",
        "found_one": "按校准相关性，在评判的 {judged} 篇中有 1 篇：",
        "found": "按校准相关性，在评判的 {judged} 篇中有 {count} 篇：",
        "judged_one": "1 篇；已评判 {candidates} 篇候选中的 {judged} 篇：",
        "judged": "{count} 篇；已评判 {candidates} 篇候选中的 {judged} 篇：",
        "judged_none": "没有摘要完全符合；已评判 {candidates} 篇候选中的 {judged} 篇。",
        "partly": "部分符合：",
        "rest": "评判其余 {count} 篇候选约需 {calls} 次调用和 {tokens} 个 token（上限由 ASSISTANT_MAX_JUDGED 设定）。",
        "none": "本合集中没有摘要涉及此内容；共评判 {judged} 篇。",
        "no_match": "本合集中没有论文符合筛选条件 {where}。",
        "passing": "本合集中有 {count} 篇论文符合筛选条件 {where}。",
        "total": "本合集共有 {count} 篇论文。",
        "scope": "我只根据摘要并附引用回答有关本合集论文的问题；这不是这样的问题。",
        "refused": "我只根据摘要回答有关本合集论文的问题。",
        "empty": "请提出一个关于这些论文的问题。",
        "english_best": "没有模型时，用英文提问最容易被理解。",
        "translated": "摘要按原文语言引用。",
    },
    "it": {
        "declined": "Nessun abstract di questa raccolta risponde a questo.",
        "nearest": "Il più vicino, ma non una risposta: {labels}.",
        "found_one": "Un articolo, per rilevanza calibrata, su {judged} esaminati:",
        "found": "{count} articoli, per rilevanza calibrata, su {judged} esaminati:",
        "none": "Nessun abstract di questa raccolta ne parla; ne sono stati esaminati {judged}.",
        "no_match": "Nessun articolo di questa raccolta passa il filtro {where}.",
        "total": "La raccolta contiene {count} articoli.",
        "english_best": "Senza un modello, le domande si capiscono meglio in inglese.",
    },
    "pt": {
        "declined": "Nenhum resumo desta coleção responde a isto.",
        "nearest": "O mais próximo, mas não uma resposta: {labels}.",
        "found_one": "Um artigo, por relevância calibrada, de {judged} examinados:",
        "found": "{count} artigos, por relevância calibrada, de {judged} examinados:",
        "none": "Nenhum resumo desta coleção trata disto; foram examinados {judged}.",
        "no_match": "Nenhum artigo desta coleção passa o filtro {where}.",
        "total": "A coleção contém {count} artigos.",
        "english_best": "Sem um modelo, as perguntas são mais bem entendidas em inglês.",
    },
    "nl": {
        "declined": "Geen abstract in deze verzameling beantwoordt dit.",
        "nearest": "Het dichtst erbij, maar geen antwoord: {labels}.",
        "found_one": "Eén artikel, naar gekalibreerde relevantie, van {judged} bekeken:",
        "found": "{count} artikelen, naar gekalibreerde relevantie, van {judged} bekeken:",
        "none": "Geen abstract in deze verzameling gaat hierover; {judged} zijn bekeken.",
        "no_match": "Geen artikel in deze verzameling voldoet aan het filter {where}.",
        "total": "De verzameling bevat {count} artikelen.",
        "english_best": "Zonder model worden vragen in het Engels het best begrepen.",
    },
}

_SMALL_TALK: dict[SmallTalk, str] = {
    "greeting": "Hello! Ask me anything about the papers in this collection; I answer from their "
    "abstracts and show the line that proves it.",
    "thanks": "You're welcome. Ask on whenever you like.",
    "bye": "Goodbye, and good luck with your reading.",
    "ability": "I answer questions about the papers in this collection from their abstracts: which "
    "papers study a topic, what a paper reports, how two compare. Each statement carries a citation "
    "that opens the sentence it rests on, and I say so when no abstract gives the answer.",
    "identity": "I am a program that answers questions about paper abstracts, not a person.",
    "joke": "I am better at abstracts than at jokes. Ask me about the papers, and I will quote them "
    "with a straight face.",
    "well": "All is well here, thank you. What would you like to know about the papers?",
    "ok": "Good. What would you like to know about the papers?",
}
_SMALL_TALK_DE: dict[SmallTalk, str] = {
    "greeting": "Hallo! Frag mich etwas zu den Papers dieser Sammlung; ich antworte aus ihren "
    "Abstracts und zeige die Zeile, die es belegt.",
    "thanks": "Gern geschehen.",
    "bye": "Auf Wiedersehen.",
}
_SMALL_TALK_ZH: dict[SmallTalk, str] = {
    "greeting": "你好！请就本合集的论文提问，我会根据摘要回答并给出依据。",
    "thanks": "不客气。",
    "bye": "再见。",
}
_SMALL_TALK_ES: dict[SmallTalk, str] = {
    "greeting": "¡Hola! Pregúntame por los artículos de esta colección; respondo a partir de sus "
    "resúmenes y muestro la frase que lo prueba.",
    "thanks": "De nada.",
    "bye": "Adiós.",
}
_OTHER_TALK = {"de": _SMALL_TALK_DE, "zh": _SMALL_TALK_ZH, "es": _SMALL_TALK_ES}


UNVERIFIED_MARKS = tuple(
    phrases["unverified"] for phrases in _PHRASES.values() if "unverified" in phrases
)
"""What may stand behind a sentence that no source supports, in every language."""


def say(name: str, language: str, **values: object) -> str:
    """Return one of the assistant's own sentences.

    Args:
        name: which one.
        language: ISO 639-1 code; English where it is not known.
        values: what is put into it; a `count` of 1 takes the sentence for one.
    """
    phrases, english = _PHRASES.get(language, {}), _PHRASES["en"]
    known = phrases if name in phrases else english
    alone = f"{name}_one"
    found = alone if values.get("count") == 1 and alone in known else name
    return known[found].format(**values)


def small_talk_reply(kind: SmallTalk, language: str) -> str:
    """Reply to a message that is no question.

    Args:
        kind: which small talk it is.
        language: ISO 639-1 code.
    """
    return _OTHER_TALK.get(language, {}).get(kind) or _SMALL_TALK[kind]
