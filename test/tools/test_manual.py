"""Shell completion and manual pages: made of what `--help` is made of, and understood by a shell and by troff."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from mlir_inplace.passes.framework.upstream import known_passes
from mlir_inplace.passes.pipeline.registry import BUILT_IN
from mlir_inplace.tools import generate_completion, generate_man
from mlir_inplace.tools.generate_completion import script
from mlir_inplace.tools.manual.programs import PROGRAMS
from mlir_inplace.tools.opt.flags import FLAGS


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "script"
    path.write_text(script("bash"))
    return path


def completed(bash_script: Path, program: str, *words: str) -> list[str]:
    """What bash would offer for the last word, which may be the beginning of one."""
    function = f"_{program.replace('-', '_')}"
    listed = shlex.join([program, *words])
    code = f'. {bash_script}; COMP_WORDS=({listed}); COMP_CWORD={len(words)}; {function}; echo "${{COMPREPLY[*]}}"'
    return subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize(
    ("program", "words", "expected"),
    [
        ("inplace-opt", ["--mlir-timing-"], ["--mlir-timing-display"]),
        ("inplace-opt", ["--canonicalize", "--inplace-til"], ["--inplace-tile"]),
        (
            "inplace-opt",
            ["--buffer-dealloc"],
            ["--buffer-deallocation-pipeline", "--buffer-deallocation-simplification"],
        ),
        ("inplace-opt", ["--mlir-timing-display", "="], ["list", "tree"]),
        ("inplace-opt", ["--mlir-timing-display", "=", "l"], ["list"]),
        ("inplace-opt", ["--mlir-timing-display", ""], ["list", "tree"]),
        ("inplace-opt", ["--mlir-timing-display", "list", "--mlir-timing-"], ["--mlir-timing-display"]),
        ("inplace-opt", ["--mlir-timing", "--mlir-timing-"], ["--mlir-timing-display"]),
        ("inplace-run", ["-O", ""], ["0", "1", "2", "3"]),
        ("inplace-opt", ["--mlir-print-ir-after", "=", "symbol-d"], ["symbol-dce"]),
        ("inplace-opt", ["--help", "=", "inplace-til"], ["inplace-tile"]),
        ("inplace-opt", ["file"], []),
        ("inplace-opt", ["-o", "=", "f"], []),
        ("inplace-check", ["--engi"], ["--engine"]),
        ("inplace-run", ["--print-res"], ["--print-result"]),
        ("inplace-fuzz", ["--se"], ["--seeds"]),
        ("inplace-exhaust", ["--gr"], ["--grammar"]),
    ],
)
def test_bash_completes(bash_script: Path, program: str, words: list[str], expected: list[str]) -> None:
    assert completed(bash_script, program, *words) == expected


def test_every_shell_gets_every_flag_and_pass() -> None:
    names = {flag.spelling for flag in FLAGS} | {f"--{name}" for name in [*BUILT_IN, *known_passes()]}
    program = PROGRAMS["inplace-opt"]()
    assert {name for entry in program.entries for name in entry.names} == names | {"-h", "-p"}
    fish = script("fish")
    for name in names - {"-o"}:
        assert f"complete -c inplace-opt -l {name[2:]} " in fish or f" -l {name[2:]} " in fish
    assert "complete -c inplace-opt -s o -r -d " in fish
    assert script("zsh") == "autoload -U +X bashcompinit && bashcompinit\n" + script("bash")


def test_completion_as_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate_completion.main(["bash"]) == 0
    assert capsys.readouterr().out == script("bash")
    with pytest.raises(SystemExit) as stopped:
        generate_completion.main(["csh"])
    assert stopped.value.code == 2


def test_a_manual_page_for_each_program(tmp_path: Path) -> None:
    assert generate_man.main([str(tmp_path / "man")]) == 0
    assert sorted(path.name for path in (tmp_path / "man").iterdir()) == sorted(f"{name}.1" for name in PROGRAMS)
    page = (tmp_path / "man" / "inplace-opt.1").read_text()
    for flag in FLAGS:
        assert f"\\fB{flag.spelling}\\fR".replace("-", "\\-") in page
    assert '.SH "PASSES OF UPSTREAM"' in page
    assert "exit codes: 0 success" in page


def test_what_troff_would_take_for_a_request_is_text() -> None:
    page = generate_man.manual_page(PROGRAMS["inplace-check"]())
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".B", ".TP", ".nf", ".fi"}


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
@pytest.mark.parametrize("name", PROGRAMS)
def test_troff_has_no_complaint(name: str) -> None:
    page = generate_man.manual_page(PROGRAMS[name]())
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-c"], input=page, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert name in done.stdout


def test_a_folder_that_cannot_be_made_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate_man.main(["/proc/x"]) == 1
    assert capsys.readouterr().err.startswith("generate_man: error: cannot write '/proc/x'")
