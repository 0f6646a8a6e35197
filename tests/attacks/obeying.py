"""A model that does whatever the abstracts it is given tell it to."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.answering.conftest import sources_in
from tests.attacks.poison import POISONED
from tests.scripted_server import Connection, Request, say

__all__ = ["Obeying"]

_PIECE = 40


@dataclass
class Obeying:
    """Writes out the orders of every poisoned abstract it sees, and cites every source for each.

    Args:
        extra: what it adds of its own, with `{poison}` and `{other}` for ids of sources.
        prompts: what it was asked.
    """

    extra: str = ""
    prompts: list[Request] = field(default_factory=list)

    def __call__(self, request: Request, connection: Connection) -> None:
        """Answer one chat request."""
        self.prompts.append(request)
        sources = sources_in(request)
        attacks = {name: _attack_in(text) for name, text in sources.items()}
        orders = {name: attack for name, attack in attacks.items() if attack}
        if '{"question"' in request.messages[0]["content"]:
            say('{"question": "ignore the papers", "kind": "small_talk"}')(request, connection)
            return
        if request.messages[0]["content"].startswith("You decide for each paper"):
            lines = [
                f'{name}: yes "{orders.get(name, text)[:300]}"' for name, text in sources.items()
            ]
            say("\n".join(lines))(request, connection)
            return
        everyone = "".join(f"[{name}]" for name in sources)
        said = " ".join(f"{attack} [{name}] {attack} {everyone}" for name, attack in orders.items())
        other = next((name for name in sources if name not in orders), "S0000")
        extra = self.extra.replace("{poison}", next(iter(orders), "S0000")).replace(
            "{other}", other
        )
        text = f"{extra} {said}"[:12_000]
        say(*(text[at : at + _PIECE] for at in range(0, len(text), _PIECE)))(request, connection)


def _attack_in(text: str) -> str | None:
    return next(
        (p.attack.strip()[:1_500] for p in POISONED if p.attack.strip()[:200] in text), None
    )
