"""List the words that are spelt as they should be: `python -m benchmarks.known_words`.

In a small collection most English words are unknown; a word that three of the public abstracts
write is not taken for a slip of the pen, unless it is long and one slip away from a word that is
far more frequent. Writes `assistant/index/data/known-words.txt`, one stem a line.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

from rapidfuzz.distance.OSA import distance
from rapidfuzz.process import extract

import assistant.index
from assistant.index.words import stem
from benchmarks.collections import abstracts

OUT = Path(assistant.index.__file__).parent / "data" / "known-words.txt"
LEAST_DOCUMENTS = 3
SHORTEST = 4
SLIPS_FROM = 8
TIMES_AS_OFTEN = 100
_WORD = re.compile(r"(?<![\w\\])[A-Za-z]?[a-z]+(?!\w)")


def main() -> None:
    """Run the command."""
    counts: Counter[str] = Counter()
    for row in abstracts().values():
        found = _WORD.findall(f"{row['title']} {row['abstract']}")
        counts.update({word.lower() for word in found})
    often = {w: n for w, n in counts.items() if n >= LEAST_DOCUMENTS and len(w) >= SHORTEST}
    slips = misspelt(often)
    stems = sorted({stem(word) for word in often.keys() - slips})
    OUT.write_text("".join(f"{one}\n" for one in stems), encoding="utf-8")
    print(f"{len(stems)} stems of {len(often)} words; {len(slips)} left out: {sorted(slips)[:20]}")


def misspelt(counts: dict[str, int]) -> set[str]:
    """Find words that are one slip away from a far more frequent one with the same initial.

    Args:
        counts: in how many documents each word stands.
    """
    frequent = defaultdict(list)
    for word, count in counts.items():
        if count >= LEAST_DOCUMENTS * TIMES_AS_OFTEN:
            frequent[word[0]].append(word)
    found = set()
    for word, count in counts.items():
        near = extract(word, frequent[word[0]], scorer=distance, score_cutoff=1, limit=None)
        if len(word) >= SLIPS_FROM and any(
            counts[other] >= count * TIMES_AS_OFTEN and stem(other) != stem(word)
            for other, _, _ in near
        ):
            found.add(word)
    return found


if __name__ == "__main__":
    main()
