"""What the packages that come with the assistant allow."""

from __future__ import annotations

import pytest

from tools.licences import REVIEWED, allowed, licences


def test_every_package_has_a_licence_that_lets_it_be_used() -> None:
    found = [each for each in licences() if each.terms is not None]
    assert len(found) > 50
    assert [each for each in found if not allowed(each.terms or "")] == []


def test_what_was_looked_up_by_hand_is_still_needed() -> None:
    pinned = {each.package for each in licences()}
    assert set(REVIEWED) <= pinned


@pytest.mark.parametrize(
    ("terms", "fine"),
    [
        ("MIT", True),
        ("Apache-2.0 OR BSD-2-Clause", True),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-3.0-or-later", False),
        ("MIT AND GPL-2.0-only", False),
        ("GNU Affero General Public License v3", False),
        ("Proprietary", False),
        ("not stated", False),
    ],
)
def test_which_terms_are_allowed(terms: str, fine: bool) -> None:
    assert allowed(terms) is fine
