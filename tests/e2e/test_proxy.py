"""The page behind nginx, under a path of its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from assistant.web.serving import serve
from tests.e2e.conversing import ask, rested
from tests.nginx import running_nginx
from tests.ports import KeptPort
from tests.web.stand_in import StandIn

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "serving.md"


@pytest.fixture
def proxied(stand_in: StandIn, tmp_path: Path) -> Iterator[str]:
    """The guide's own configuration, word for word."""
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if nginx is None:
        pytest.skip("no nginx: install it (on Debian: apt-get install nginx-light)")
    found = re.search(r"```nginx\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    running = serve(stand_in, root_path="/papers", say=lambda _: None)
    location = found[1].replace("127.0.0.1:7860", f"127.0.0.1:{running.port}")
    places = "".join(
        f"{name}_temp_path {tmp_path}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = tmp_path / "nginx.conf"
    try:
        with KeptPort() as port:
            config.write_text(
                f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
                f"events {{}}\nhttp {{ access_log off;\n{places}"
                # A browser looks there before any page tells it where the icon is.
                "server { location = /favicon.ico { return 204; }\n"
                f"listen 127.0.0.1:{port.number};\n{location}}} }}\n"
            )
            with running_nginx([nginx, "-p", tmp_path, "-c", config], port.number):
                yield f"http://127.0.0.1:{port.number}/papers/"
    finally:
        running.close()


def test_an_answer_streams_through_a_proxy_under_a_path(
    proxied: str, open_page: Callable[..., Page], stand_in: StandIn
) -> None:
    page = open_page(url=proxied)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    # Slow enough that a look at it now and then sees it grow.
    stand_in.pace = 0.1
    try:
        ask(page, "a slow one, compare", wait=False)
        lengths: set[int] = set()
        while len(lengths) <= 5 and not page.locator(".ap-foot").count():
            lengths.add(len(page.locator(".ap-answer").inner_text()))
            page.wait_for_timeout(50)
    finally:
        stand_in.pace = 0.0
    assert len(lengths) > 5, "the answer came in lumps"
    rested(page)
    page.locator("a.ap-cite").first.click()
    expect(page.locator(".ap-card.ap-active mark")).to_be_in_viewport()
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Papers").click()
    expect(page.locator(".ap-shelf-row")).to_have_count(38)
    assert all(url.startswith((proxied, "blob:", "data:")) for url in asked), asked
