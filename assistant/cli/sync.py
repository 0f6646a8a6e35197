"""`assistant sync`: bring the collection up to date with files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.wording import counted

if TYPE_CHECKING:
    from assistant.api import Assistant
    from assistant.cli.progress import Followed
    from assistant.index.report import Confirm, Removal, SyncReport

__all__ = ["sync"]

_SHOWN_LINES = 20
_COUNTS = ("added", "changed", "removed", "unchanged", "skipped", "duplicates")


_Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Files, folders or patterns of papers; - reads standard input.", show_default=False
    ),
]
_Source = Annotated[
    str | None,
    typer.Option(
        help="Name of the source; papers it no longer lists are removed. Default: each path."
    ),
]
_Mapping = Annotated[
    list[str] | None,
    typer.Option("--map", help="Name fields that cannot be guessed: title=Name,abstract=Summary."),
]
_Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Remove papers that are gone without asking, however many."),
]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only tell what would happen; write nothing.")
]
_Rebuild = Annotated[
    bool, typer.Option("--rebuild", help="Make the index anew with the configured embedder.")
]
_Json = Annotated[bool, typer.Option("--json", help="End with the counts as one JSON line.")]


def sync(
    context: typer.Context,
    paths: _Paths = None,
    source: _Source = None,
    mapping: _Mapping = None,
    yes: _Yes = False,
    dry_run: _DryRun = False,
    rebuild: _Rebuild = False,
    as_json: _Json = False,
) -> None:
    """Make the collection hold what the files hold now: new papers come, gone ones go.

    What is there already is not embedded again. When more than a tenth of a source's papers (and
    more than two, or all of them) are gone, you are asked first; without a terminal nothing at all
    is changed then. Examples: `assistant sync papers/`, `assistant sync --dry-run export.json`
    """
    from assistant.api import Assistant
    from assistant.cli.progress import shown_progress
    from assistant.errors import InputError, StoppedError

    if not paths and not rebuild:
        raise InputError("name the files or folders to sync: assistant sync PATH…")
    if dry_run and rebuild:
        raise InputError("--dry-run writes nothing and --rebuild writes: leave one of them out")
    fields = parsed_mapping(mapping or [])
    with Assistant(context.obj) as assistant, shown_progress() as progress:
        try:
            if rebuild:
                _rebuild(assistant, progress, as_json=as_json, alone=not paths)
            if not paths:
                return
            report = assistant.sync(
                *paths,
                source=source,
                progress=progress,
                confirm=_confirm(progress, yes=yes),
                mapping=fields,
                dry_run=dry_run,
            )
        except KeyboardInterrupt:
            raise StoppedError(_kept(progress)) from None
    _print(report, as_json=as_json, dry_run=dry_run)
    if report.incomplete:
        # What was read is kept; whoever runs this by a clock must hear of the rest.
        raise typer.Exit(1)


def parsed_mapping(given: list[str]) -> dict[str, str]:
    """Read which field holds what.

    Args:
        given: `title=Name,abstract=Summary` each; a comma inside a name is kept.

    Returns:
        What a paper calls it, to what the file calls it.

    Raises:
        InputError: one is not of that form, or a paper has no such field.
    """
    from assistant.errors import InputError

    known = ("id", "title", "abstract", "authors", "venue", "year", "url", "keywords")
    pieces: list[str] = []
    for piece in (piece for text in given for piece in text.split(",")):
        if pieces and "=" not in piece:
            pieces[-1] += f",{piece}"
        else:
            pieces.append(piece)
    fields: dict[str, str] = {}
    for piece in pieces:
        name, _, field = (part.strip() for part in piece.partition("="))
        if not field:
            raise InputError(f"--map {piece!r} is none: write title=Name,abstract=Summary")
        if name not in known:
            raise InputError(f"--map {name!r} is no field of a paper: use {', '.join(known)}")
        fields[name] = field
    return fields


def _confirm(progress: Followed, *, yes: bool) -> Confirm | None:
    from assistant.cli.progress import can_ask
    from assistant.errors import RemovalError

    def asked(lost: Removal) -> bool:
        if progress.ask(f"{lost}. Remove them?"):
            return True
        raise RemovalError(lost, asked=True)

    if yes:
        return lambda _: True
    if can_ask():
        return asked
    return None


def _rebuild(assistant: Assistant, progress: Followed, *, as_json: bool, alone: bool) -> None:
    from assistant.cli.printing import as_json as written

    count = assistant.rebuild(progress)
    if alone:
        typer.echo(
            written({"papers": count}) if as_json else f"Rebuilt: {counted(count, 'paper')}."
        )


def _kept(progress: Followed) -> str:
    if progress.recorded is None:
        return "stopped before anything was changed; the same command starts again"
    done, total = progress.embedded or (0, 0)
    kept = "1 paper is" if progress.recorded == 1 else f"all {progress.recorded:,} papers are"
    new = "vector" if total == 1 else "vectors"
    vectors = f", and {done:,} of {total:,} new {new}" if total else ""
    return f"stopped: {kept} kept{vectors}; the same command goes on from there"


def _print(report: SyncReport, *, as_json: bool, dry_run: bool) -> None:
    from assistant.cli.printing import as_json as written
    from assistant.cli.printing import tell

    for word, lines in (
        ("skipped", report.reasons),
        ("duplicate", report.twins),
        ("note", report.notes),
    ):
        for line in lines[:_SHOWN_LINES]:
            tell(f"{word} {line}")
        if len(lines) > _SHOWN_LINES:
            tell(f"… and {len(lines) - _SHOWN_LINES} more")
    for kind, count in sorted(report.untold.items()):
        tell(f"… and {count:,} further: {kind}")
    counts = report.to_dict()
    if as_json:
        typer.echo(written(counts))
        return
    said = ", ".join(
        counted(counts[name], name.removesuffix("s"), name) for name in _COUNTS if counts[name]
    )
    held = counted(counts["papers"], "paper")
    if dry_run:
        typer.echo(
            f"Nothing was written. It would be: {said or 'nothing to do'}; the collection would "
            f"hold {held}."
        )
    else:
        typer.echo(f"{said or 'nothing to do'}; the collection holds {held}.")
