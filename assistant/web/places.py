"""How many questions run at once, and who waits in line for it."""

from __future__ import annotations

from collections import deque

from assistant.errors import AssistantError

__all__ = ["Place", "Places"]


class Places:
    """A limited number of places, taken in the order of asking; used from one event loop only.

    Args:
        at_once: how many may be taken at the same time.
        waiting: how many may wait for one.
    """

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free = at_once
        self._longest = waiting
        self._line: deque[Place] = deque()

    def line_up(self) -> Place:
        """Take a place in the line; whoever does leaves it, in any case.

        Raises:
            AssistantError: the line is full.
        """
        if not self._free and len(self._line) >= self._longest:
            raise AssistantError("too many people are asking at once: ask again in a moment")
        place = Place(self)
        self._line.append(place)
        return place

    def advance(self, place: Place) -> int | None:
        """Return how many are ahead of a place in the line, None where its turn has come.

        Args:
            place: one that waits.
        """
        ahead = self._line.index(place)
        if ahead >= self._free:
            return ahead - self._free
        self._line.remove(place)
        self._free -= 1
        return None

    def leave(self, place: Place) -> None:
        """Free what a place held: its turn, or its room in the line.

        Args:
            place: one that waits or whose turn has come.
        """
        if place in self._line:
            self._line.remove(place)
        else:
            self._free += 1


class Place:
    """One question's place; see `Places.line_up`."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._came = False

    @property
    def ahead(self) -> int | None:
        """How many others come first, None once it is this one's turn."""
        if self._came:
            return None
        ahead = self._places.advance(self)
        self._came = ahead is None
        return ahead

    def leave(self) -> None:
        """Give it back."""
        self._places.leave(self)
