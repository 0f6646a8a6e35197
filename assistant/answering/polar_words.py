"""The words that turn a statement round: what goes up or down, what is denied, what is opposite."""

from __future__ import annotations

from assistant.index.words import fold, stem

__all__ = [
    "BACKWARD",
    "COMPARATIVES",
    "COSTS",
    "EXTREMES",
    "LIGHT",
    "NEGATORS",
    "OPPOSITES",
    "SIGNS",
    "SOFT_NEGATORS",
    "stems",
]


def stems(words: str) -> frozenset[str]:
    """Give the stems of a list of words.

    Args:
        words: words with blanks between.
    """
    return frozenset(stem(fold(word)) for word in words.split())


_SIGNED = {
    ("amount", 1): """
        increase increases increased increasing raise raises raised rise rises higher more
        greater grow grows growing boost boosts boosted gain gains larger expands inflate
        inflates amplify amplifies aggravate aggravates aggravating exacerbate exacerbates
        exacerbating""",
    ("amount", -1): """
        reduce reduces reduced reducing reduction reductions decrease decreases decreased
        decreasing lower lowers lowered cut cuts cutting shrink shrinks less fewer smaller
        decline declines lessen lessens mitigate mitigates mitigated mitigating alleviate
        alleviates suppress suppresses suppressing minimize minimizes minimise minimises saves
        saving halve halves""",
    ("quality", 1): """
        improve improves improved improving improvement improvements enhance enhances enhanced
        enhancing better best outperform outperforms outperforming surpass surpasses surpassing
        beat beats exceed exceeds superior strengthens benefit benefits help helps excel excels""",
    ("quality", -1): """
        degrade degrades degraded degrading degradation worsen worsens worse worst hurt hurts
        harm harms impair impairs weaken weakens weakening worsening deteriorate deteriorates
        deterioration underperform underperforms inferior lose loses losing loss destroy
        destroys destroying behind collapses suffer suffers sacrifices sacrificing""",
    ("speed", 1): """
        faster quicker sooner accelerate accelerates accelerated accelerating speedup speeds""",
    ("speed", -1): "slower slow slows slowed later",
    ("equal", 0): "equivalent equal equally",
    ("kept", 0): """
        preserve preserves preserving preserved maintain maintains maintaining retain retains
        retaining keep keeps keeping sustain sustains unchanged unaffected match matches
        competitive comparable""",
}

SIGNS: dict[str, tuple[str, int]] = {
    word: (axis, sign) for (axis, sign), words in _SIGNED.items() for word in words.split()
}
"""Polar words with their axis and sign."""

COMPARATIVES = frozenset(
    """more less fewer higher lower greater smaller larger better worse stronger weaker faster
    slower superior inferior outperform outperforms""".split()
)
"""Words that two equal things do not earn."""

EXTREMES: dict[str, int] = dict.fromkeys(
    "few little low small short narrow weak slow rare sparse shallow seldom".split(), -1
) | dict.fromkeys(
    "many much high large big long wide broad strong fast frequent dense deep often".split(), 1
)
"""What stands behind "too": -1 where there is not enough of something, 1 where there is more."""

COSTS = stems(
    """latency delay time runtime ttft overhead cost memory energy error bias variance regret
    forgetting interference noise complexity loss perplexity distortion communication
    consumption footprint degradation redundancy discrepancy overconfidence artifact burden"""
)
"""What is better when there is less of it."""

NEGATORS = frozenset(
    """not no without never nor neither none nothing nobody hardly barely negligible free avoid
    avoids avoiding fail fails failing unable lack lacks lacking""".split()
)
"""Words that deny what follows them."""

SOFT_NEGATORS = frozenset(
    """instead rather unlike prevent prevents preventing ignore ignores ignoring overlook
    overlooks neglect neglects remove removes removing eliminate eliminates eliminating
    only hard difficult difficulty limited limit limits limiting less few fewer except
    struggle struggles rarely little poor poorly ineffective mismatch unstable unstably
    redundant unnecessary superfluous hinder hinders hindered stop stops obscure obscures
    bottleneck bottlenecks vulnerable undermine undermining inconsistent overlooked until
    unclear misses miss impractical otherwise replace replaces replacing beyond decouple
    decouples decoupling minimal opaque independent independently regardless irrespective
    absence non first""".split()
)
"""Words near which a denial may be right although the source has no negation."""

BACKWARD = frozenset(
    """independent poorly poor ineffective inconsistent unclear limited impractical vulnerable
    rarely unstable unstably""".split()
)
"""Those of them that doubt what stands before them."""

LIGHT = frozenset(
    """require requires requiring required need needs needed needing use uses using used have has
    had having be been being is are any additional extra further longer additionally does
    do did can could must allow allows enable enables permit permits let lets offer offers
    provide provides achieve achieves make makes give gives""".split()
)
"""Words behind a negation that do not say what is denied."""

OPPOSITES = tuple(
    (frozenset(a.split()), frozenset(b.split()))
    for a, b in (
        ("high higher", "low lower"),
        ("sharper sharp", "flatter flat"),
        ("static fixed", "dynamic dynamically adaptive"),
        ("centralized centralised", "decentralized decentralised distributed"),
        ("jointly", "separately isolation"),
        ("sequential sequentially", "parallel"),
        ("dense", "sparse"),
        ("soft softly", "hard"),
        ("always", "sometimes never rarely can"),
        ("implicit implicitly", "explicit explicitly"),
        ("freely", "correctly"),
        ("inaccurate", "accurate"),
        ("inefficient", "efficient"),
        ("simple", "complex complicated"),
        ("limited", "dominant"),
        ("minimal", "extensive full"),
        ("linear", "nonlinear quadratic exponential"),
        ("locally", "globally"),
        ("online", "offline"),
        ("cheap inexpensive", "expensive costly"),
        ("independent", "dependent depends"),
        ("manual manually hand", "automatic automatically automated"),
        ("unlabeled unlabelled", "labeled labelled"),
        ("weak weakly weaker", "strong strongly stronger"),
        ("small smaller", "large larger"),
        ("inconsistent", "consistent"),
        ("unstable", "stable"),
        ("first", "last"),
        ("minimum", "maximum"),
        ("positive positively", "negative negatively"),
        ("short shorter", "long longer"),
        ("narrow", "wide broad"),
        ("rigid", "flexible"),
        ("single", "multiple several many"),
        ("strict stricter strong", "mild milder weak"),
        ("static", "moving"),
        ("passive passively", "active actively"),
        ("complete completely fully", "partial partially"),
        ("coarse", "fine"),
        ("upper", "lower"),
        ("early earlier", "late later"),
        ("common", "rare"),
        ("rich", "poor"),
        ("shallow", "deep"),
        ("easy easier", "difficult harder"),
        ("convex", "nonconvex"),
        ("finite", "infinite"),
        ("deterministic", "stochastic random randomized"),
        ("discrete", "continuous"),
        ("homogeneous", "heterogeneous"),
        ("symmetric", "asymmetric"),
        ("balanced", "imbalanced"),
        ("indoor", "outdoor"),
        ("frozen", "trainable"),
        ("public", "private"),
        ("open", "closed"),
        ("synthetic", "real"),
        ("accepts", "rejects"),
        ("includes", "excludes"),
        ("reliable reliably", "unreliable unreliably"),
        ("known", "unknown"),
        ("possible", "impossible"),
        ("available", "unavailable"),
        ("necessary", "unnecessary"),
        ("sufficient", "insufficient"),
        ("supervised", "unsupervised"),
        ("lossless", "lossy"),
        ("forward", "backward"),
        ("internal", "external"),
    )
)
"""Words that exclude each other when said of the same thing."""
