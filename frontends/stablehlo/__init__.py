"""StableHLO: read as text, bytecode or portable artifact, and lowered to linalg on tensors."""

from .legalization import legalize_stablehlo, parse_artifact, parse_stablehlo

__all__ = ["legalize_stablehlo", "parse_artifact", "parse_stablehlo"]
