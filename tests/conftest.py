"""What every test runs in: no network, a home of its own, and none of the person's settings."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

if TYPE_CHECKING:
    from assistant.api import Assistant

ROOT = Path(__file__).parent.parent
_GUARD = ROOT / "tests" / "guard"
sys.path.insert(0, str(_GUARD))

import network_guard  # noqa: E402

_TEST_DATA = "ASSISTANT_TEST_DATA"
_PERSONAL = (
    "ANTHROPIC_",
    "ASSISTANT_",
    "CHROMA_",
    "LANGCHAIN_",
    "LANGSMITH_",
    "OLLAMA_",
    "OPENAI_",
)
_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
}
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_CHROMIUM_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "stress",
    deadline=None,
    max_examples=5_000,
    database=DirectoryBasedExampleDatabase(ROOT / ".hypothesis" / "examples"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci")

_session_home = tempfile.TemporaryDirectory(prefix="ask-papers-", ignore_cleanup_errors=True)


def pytest_configure() -> None:
    """Cut the session off from the network and from the person's own settings."""
    for name in list(os.environ):
        personal = name.upper().startswith(_PERSONAL) and name != _TEST_DATA
        if personal or name.upper() in _PROXIES:
            del os.environ[name]
    if given := os.environ.get(_TEST_DATA):
        os.environ[_TEST_DATA] = str(Path(given).resolve())
    home = Path(_session_home.name)
    os.environ.update(_QUIET, **_home_variables(home))
    os.environ[network_guard.LOG_VARIABLE] = str(home / "refused-connections.log")
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_GUARD), inherited]))
    network_guard.install()


def pytest_unconfigure() -> None:
    """Remove the session's home."""
    _session_home.cleanup()


def _home_variables(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "share"),
        "ASSISTANT_DATA_DIR": str(home / "data"),
    }


@pytest.fixture(autouse=True)
def isolated_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give each test an empty home, data folder and working folder (so no `.env` is read)."""
    with tempfile.TemporaryDirectory(prefix="ask-papers-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        for variable, value in _home_variables(home).items():
            monkeypatch.setenv(variable, value)
        (home / "here").mkdir()
        with monkeypatch.context() as patch:
            patch.chdir(home / "here")
            yield home


@pytest.fixture
def empty(isolated_home: Path) -> Path:
    """A data folder in which there is nothing yet."""
    return isolated_home / "data"


@pytest.fixture(autouse=True)
def _stay_on_this_machine() -> Iterator[None]:
    yield
    if refused := network_guard.taken():
        pytest.fail("the test tried to leave this machine: " + "; ".join(refused))


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real data for tests, where there is one."""
    given = os.environ.get(_TEST_DATA)
    if not given:
        pytest.skip(f"{_TEST_DATA} is not set")
    folder = Path(given)
    if not folder.is_dir():
        pytest.fail(f"{_TEST_DATA}={given} is no folder")
    return folder


@pytest.fixture(scope="session")
def seed_index_dir() -> Iterator[Path]:
    """A data folder in which the seeds are indexed; copy it before you change it."""
    from assistant.api import Assistant
    from assistant.settings import Settings

    with tempfile.TemporaryDirectory(prefix="ask-papers-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "data"
        with Assistant(Settings(data_dir=folder)) as assistant:
            assistant.search("KV cache")
        yield folder


@pytest.fixture(scope="session")
def seed_assistant(seed_index_dir: Path) -> Iterator[Assistant]:
    """A keyless assistant over the seeds, shared by all tests that only ask."""
    from assistant.api import Assistant
    from assistant.settings import Settings

    with Assistant(Settings(data_dir=seed_index_dir, model="none")) as assistant:
        yield assistant


@pytest.fixture
def seeded_data_dir(seed_index_dir: Path, isolated_home: Path) -> Path:
    """This test's own data folder with the seeds indexed; `ASSISTANT_DATA_DIR` names it."""
    return Path(shutil.copytree(seed_index_dir, isolated_home / "data"))


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """The Chromium to drive; without one the test is skipped, and in CI it fails."""
    names = [os.environ.get("CHROMIUM_PATH"), *_CHROMIUM_NAMES, str(_CHROMIUM_MAC)]
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found:
        return Path(found)
    if os.environ.get("CI"):
        pytest.fail("no Chromium, and CI must not skip its tests: install chromium")
    pytest.skip("no Chromium: install it (on Debian: apt-get install chromium) to run this test")


@pytest.fixture(scope="session")
def chromium_args() -> list[str]:
    """Arguments that keep a headless Chromium in a container, and off the network."""
    return [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    ]
