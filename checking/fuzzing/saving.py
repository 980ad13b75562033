"""Programs that failed, as files: the program, and how to try it again in comments before it."""

from __future__ import annotations

from pathlib import Path

from .campaign import Campaign
from .outcomes import Finding


def save_failure(campaign: Campaign, finding: Finding, folder: Path) -> Path:
    """Write the program of a finding to `folder` and return the file; raises `OSError`."""
    program = campaign.program(finding.seed)
    name = finding.configuration.partition(",")[0]
    found = [c for c in campaign.configurations if c.name == name]
    features = f" --features {','.join(campaign.features)}" if campaign.features is not None else ""
    kind = " --kernels" if campaign.kernels else " --optimize" if campaign.optimize else ""
    command = f"inplace-fuzz{kind} --seeds {finding.seed}..{finding.seed + 1} --size {campaign.size}{features}"
    lines = [
        f"{finding.kind.value}: {finding.text}",
        f"{command} --configurations {name}" if found else command,
        *(f"inplace-opt --pass-pipeline='{c.pipeline(finding.seed)}'" for c in found),
        "arguments, one set on each line:",
        *(", ".join(map(_shown, given)) for given in program.argument_sets),
    ]
    path = folder / f"seed-{finding.seed}-{name or 'program'}.mlir"
    path.write_text("".join(f"// {line}\n" for line in "\n".join(lines).splitlines()) + program.text)
    return path


def _shown(value: object) -> str:
    return " ".join(repr(value).split())
