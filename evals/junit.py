"""A run as JUnit XML, for whatever shows test results."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from evals.records import CaseResult, RunRecord

__all__ = ["junit"]

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(run: RunRecord) -> str:
    """Write a run as JUnit XML: a suite for each kind, a test for each case.

    Args:
        run: the run.

    Returns:
        XML.
    """
    root = ElementTree.Element("testsuites", name=f"evals {run.made.mode}")
    for kind in dict.fromkeys(case.kind for case in run.cases):
        cases = [case for case in run.cases if case.kind == kind]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=kind,
            tests=str(len(cases)),
            failures=str(sum(case.passed is False for case in cases)),
            errors=str(sum(case.error is not None for case in cases)),
            time=f"{sum(case.seconds or 0.0 for case in cases):.3f}",
            timestamp=run.made.started[:19],
        )
        for case in cases:
            _add(suite, case)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _add(suite: ElementTree.Element, case: CaseResult) -> None:
    name = case.id if case.repeat == 0 else f"{case.id} ({case.repeat + 1})"
    test = ElementTree.SubElement(
        suite,
        "testcase",
        classname=f"evals.{case.kind}",
        name=name,
        time=f"{case.seconds or 0.0:.3f}",
    )
    if case.error is not None:
        ElementTree.SubElement(test, "error", message=_clean(case.error))
    elif not case.passed:
        wrong = [check for check in case.checks if not check.ok]
        message = "; ".join(f"{check.name}, got: {check.got or 'nothing'}" for check in wrong)
        failure = ElementTree.SubElement(test, "failure", message=_clean(message))
        failure.text = _clean(f"{case.question}\n\n{(case.answer or {}).get('text', '')}")


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
