"""The files that travel with the package: the seed abstracts and the prompts."""

from __future__ import annotations

from pathlib import Path

from assistant.errors import AssistantError

__all__ = ["package_version", "prompts_dir", "seeds_dir"]

_DISTRIBUTION = "ask-papers"
_PACKAGE = Path(__file__).parent


def seeds_dir() -> Path:
    """Find the folder of the abstracts that ship.

    Returns:
        `seeds/` of the checkout, or its copy inside the installed package.

    Raises:
        AssistantError: the installation lacks it.
    """
    return _folder("seeds")


def prompts_dir() -> Path:
    """Find the folder of the prompts that ship.

    Returns:
        `prompts/` of the checkout, or its copy inside the installed package.

    Raises:
        AssistantError: the installation lacks it.
    """
    return _folder("prompts")


def package_version() -> str:
    """Tell the version of this package, such as `0.1.0`.

    Raises:
        AssistantError: the package is neither installed nor in its checkout.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return _checkout_version()


def _folder(name: str) -> Path:
    # A checkout has no `_data`; what lies beside an installed package is not ours to read.
    installed = _PACKAGE / "_data" / name
    checkout = _PACKAGE.parent / name
    if installed.is_dir():
        return installed
    if _in_checkout() and checkout.is_dir():
        return checkout
    raise AssistantError(f"this installation lacks its folder {name}: install {_DISTRIBUTION} anew")


def _in_checkout() -> bool:
    return (_PACKAGE.parent / "pyproject.toml").is_file()


def _checkout_version() -> str:
    import tomllib

    if not _in_checkout():
        raise AssistantError(f"the version is unknown: install {_DISTRIBUTION} anew")
    with (_PACKAGE.parent / "pyproject.toml").open("rb") as file:
        version: str = tomllib.load(file)["project"]["version"]
    return version
