"""Guards the spelling of directives in lit tests: filecheck and lit ignore what they do not know.

A misspelt CHECK line would otherwise pass for ever. In a lit test, a comment that opens with a word and a colon has to
be a directive of lit, a directive of filecheck with a prefix that a RUN line of this file uses, or lower-case prose.
"""

from __future__ import annotations

import re

import pytest
from lit_suite import ROOT, lit_tests

TESTS = lit_tests()

LIT_DIRECTIVES = {"RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "DEFINE", "REDEFINE", "COM"}
CHECK_SUFFIX = re.compile(r"(-(DAG|COUNT-[1-9]\d*|NOT|EMPTY|NEXT|SAME|LABEL))?(\{LITERAL\})?")
COMMENT_WORD = re.compile(r"//\s*([A-Za-z][\w{}-]*)\s*(:?)")
LIKE_CHECK = re.compile(r"(?i)che?c?k?[-_]?(next|same|not|dag|label|empty|count)?[-\d]*")
RUN_PREFIXES = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")


def mistakes(text: str) -> list[str]:
    """What is wrong with the directives of a lit test's text, one line each; empty when nothing is."""
    lines = text.splitlines()
    prefixes = used_prefixes(lines)
    found = [
        f"line {number}: {wrong}" for number, line in enumerate(lines, 1) for wrong in line_mistakes(line, prefixes)
    ]
    for prefix in prefixes:
        directive = re.compile(rf"//\s*{prefix}{CHECK_SUFFIX.pattern}:")
        if not any(directive.search(line) for line in lines):
            found.append(f"a RUN line uses the prefix {prefix}, but there is no directive with it")
    return found


def used_prefixes(lines: list[str]) -> set[str]:
    """The prefixes that the RUN lines of a test tell filecheck to look for."""
    prefixes: set[str] = set()
    runs = " ".join(line.partition("RUN:")[2].rstrip("\\") for line in lines if "RUN:" in line)
    for call in runs.split("filecheck")[1:]:
        given = RUN_PREFIXES.findall(re.split(r"[|;&]", call)[0])
        prefixes.update(prefix for names in given or ["CHECK"] for prefix in names.split(","))
    return prefixes


def line_mistakes(line: str, prefixes: set[str]) -> list[str]:
    """What is wrong with the directive on one line, if it has one."""
    match = COMMENT_WORD.search(line)
    if match is None:
        return []
    word, colon = match.groups()
    is_check = any(word.startswith(prefix) and CHECK_SUFFIX.fullmatch(word[len(prefix) :]) for prefix in prefixes)
    if is_check or word in LIT_DIRECTIVES:
        directive = line[match.start(1) :]
        if not colon or not directive.startswith(f"{word}:"):
            return [f"{word} needs a colon right behind it"]
        # filecheck skips a line on which one of its comment prefixes stands somewhere before a check prefix.
        if is_check and re.search(rf"(COM|RUN).*({'|'.join(prefixes)})", line):
            return [f"filecheck takes the line of {word} for a comment: COM or RUN stands before a check prefix"]
        return []
    is_like_directive = re.fullmatch(r"[A-Z][A-Z0-9_-]+(\{.*)?", word) or LIKE_CHECK.fullmatch(word)
    if colon and is_like_directive:
        known = ", ".join(sorted(prefixes)) or "none"
        return [f"`{word}:` is no directive; the check prefixes of this file are: {known}"]
    return []


@pytest.mark.parametrize("lit_test", TESTS)
def test_directives_are_spelt_right(lit_test: str) -> None:
    assert mistakes((ROOT / lit_test).read_text()) == []


RUN = "// RUN: inplace-opt %s | filecheck %s\n"


@pytest.mark.parametrize(
    "text",
    [
        RUN + "// CHECK: a\n// CHECK-NEXT: b\n// CHECK-COUNT-2: c\n// CHECK-SAME{LITERAL}: [[d\n// CHECK-NOT: e\n",
        "// RUN: inplace-opt %s | filecheck %s --check-prefix=A\n// RUN: filecheck %s --check-prefixes=B,C < %t\n"
        "// A: x\n//  B-LABEL: y\n// C-EMPTY:\n",
        RUN
        + "// CHECK: a\n// Here is prose: it may hold a colon.\n// expected-error @+1 {{no}}\n%0 = op : i32 // i32\n",
        "// RUN: inplace-opt %s --verify-diagnostics\n// a test without filecheck\n",
        "// RUN: inplace-opt %s \\\n// RUN:   | filecheck %s --check-prefix LONG\n// LONG: a\n",
    ],
)
def test_right_directives(text: str) -> None:
    assert mistakes(text) == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (RUN + "// CHECK: a\n// CHEK: b\n", "line 3: `CHEK:` is no directive"),
        (RUN + "// CHECK: a\n// CHECK-NXT: b\n", "`CHECK-NXT:` is no directive"),
        (RUN + "// CHECK: a\n// CHECK_NEXT: b\n", "`CHECK_NEXT:` is no directive"),
        (RUN + "// CHECK: a\n// CHECKNEXT: b\n", "`CHECKNEXT:` is no directive"),
        (RUN + "// CHECK: a\n// check-next: b\n", "`check-next:` is no directive"),
        (RUN + "// CHECK: a\n// Check: b\n", "`Check:` is no directive"),
        (RUN + "// CHECK: a\n// CHECK-NEXT b\n", "CHECK-NEXT needs a colon"),
        (RUN + "// CHECK: a\n// CHECK-NEXT : b\n", "CHECK-NEXT needs a colon"),
        (RUN + "// CHECK: a\n// CHECK-COUNT: b\n", "`CHECK-COUNT:` is no directive"),
        (RUN + "// CHECK: a\n// OTHER: b\n", "`OTHER:` is no directive"),
        (RUN + "// CHECK: a\n// CHECK-NEXT-NOT: b\n", "`CHECK-NEXT-NOT:` is no directive"),
        ("// RUNS: inplace-opt %s\n", "`RUNS:` is no directive"),
        ("// RUN: inplace-opt %s | filecheck %s --check-prefix=A\n// CHECK: b\n", "uses the prefix A, but"),
        (RUN + "module {}\n", "uses the prefix CHECK, but"),
        (RUN + "func.func @RUN() // CHECK: a\n", "filecheck takes the line of CHECK for a comment"),
    ],
)
def test_wrong_directives(text: str, part: str) -> None:
    assert any(part in mistake for mistake in mistakes(text)), mistakes(text)
