"""What a sync found and did: counts, and the first lines of each kind of finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields

from assistant.wording import counted

__all__ = ["KEPT_LINES", "Confirm", "Findings", "Removal", "SyncReport"]

KEPT_LINES = 1_000
"""Lines of a kind that are kept; of further ones only the kinds are counted."""

_KINDS = 50
_OTHER = "other reasons"
_TENTH = 10
_FEW = 2


@dataclass(frozen=True, slots=True)
class Removal:
    """What a sync would take out of the collection.

    Args:
        source: the source that no longer lists them.
        gone: how many papers it listed and no longer does, replaced ones not counted.
        held: how many it listed before.
        now: how many it lists now.
    """

    source: str
    gone: int
    held: int
    now: int

    @property
    def large(self) -> bool:
        """Whether it is to be asked for: all, or more than a tenth and more than two."""
        if not self.now:
            return self.gone > 0
        return self.gone > _FEW and self.gone * _TENTH > self.held

    def __str__(self) -> str:
        """Say it in words."""
        if not self.now:
            return f"the source {self.source} holds no paper now and held {self.held}"
        verb = "is" if self.gone == 1 else "are"
        papers = counted(self.held, "paper")
        return f"{self.gone} of the {papers} of the source {self.source} {verb} gone from it"


Confirm = Callable[[Removal], bool]
"""Asked whether a large removal is meant; a plain no stops the whole sync."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync found and did, in papers; two reports are equal when their counts are.

    Args:
        added: new ones.
        changed: ones whose abstract or record is another than before.
        removed: ones no source lists any more.
        unchanged: ones that were there already.
        skipped: ones that could not be taken; `reasons` says why.
        duplicates: ones whose abstract another record has, to the letter or nearly; stored once.
        papers: how many the collection holds afterwards.
        reasons: one line per skipped record, with its file and place.
        twins: one line per duplicate, with the paper it duplicates.
        notes: papers that were kept and look like another one, one line each.
        untold: how many lines beyond the first thousand of a kind there were, by kind.
        incomplete: a file could not be read to its end; `reasons` says which.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: int = 0
    duplicates: int = 0
    papers: int = 0
    reasons: tuple[str, ...] = field(default=(), compare=False)
    twins: tuple[str, ...] = field(default=(), compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    untold: Mapping[str, int] = field(default_factory=dict, compare=False)
    incomplete: bool = field(default=False, compare=False)

    def to_dict(self) -> dict[str, int]:
        """Return the counts."""
        return {item.name: getattr(self, item.name) for item in fields(self) if item.compare}

    @classmethod
    def joined(cls, reports: Iterable[SyncReport]) -> SyncReport:
        """Put the reports of one run together.

        Args:
            reports: one for each source, in their order; at least one.
        """
        every = list(reports)
        counts = [report.to_dict() for report in every]
        total = {name: sum(count[name] for count in counts) for name in counts[0]}
        total["papers"] = counts[-1]["papers"]
        findings = Findings()
        for report in every:
            findings.take(report)
        return findings.report(total, incomplete=any(report.incomplete for report in every))


class Findings:
    """Lines as they come up, bounded however many there are."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {"reasons": [], "twins": [], "notes": []}
        self._untold: Counter[str] = Counter()

    def skip(self, line: str, reason: str) -> None:
        """Note a record that was left out.

        Args:
            line: where it stands, and why.
            reason: why; what stands before a colon is its kind.
        """
        self._tell("reasons", line, reason.partition(":")[0])

    def twin(self, line: str) -> None:
        """Note a duplicate.

        Args:
            line: which, and of what.
        """
        self._tell("twins", line, "duplicates")

    def note(self, line: str) -> None:
        """Note a paper that was kept and looks like another.

        Args:
            line: which, and like what.
        """
        self._tell("notes", line, "papers like others")

    def take(self, report: SyncReport) -> None:
        """Take over what an earlier report tells.

        Args:
            report: a report.
        """
        for name in self._lines:
            for line in getattr(report, name):
                self._tell(name, line, line.rpartition(": ")[2] if name == "reasons" else name)
        self._untold.update(report.untold)

    def report(self, counts: Mapping[str, int], *, incomplete: bool = False) -> SyncReport:
        """Make a report of the lines and of counts.

        Args:
            counts: how many of each of the report's counts; those left out are 0.
            incomplete: a file could not be read to its end.
        """
        return SyncReport(
            **counts,
            incomplete=incomplete,
            reasons=tuple(self._lines["reasons"]),
            twins=tuple(self._lines["twins"]),
            notes=tuple(self._lines["notes"]),
            untold=dict(self._untold),
        )

    def _tell(self, name: str, line: str, kind: str) -> None:
        if len(self._lines[name]) < KEPT_LINES:
            self._lines[name].append(line)
        else:
            known = kind in self._untold or len(self._untold) < _KINDS
            self._untold[kind if known else _OTHER] += 1
