"""The flags of mlir-opt that `inplace-opt` cannot have, with the reason."""

from __future__ import annotations

__all__ = ["UNSUPPORTED"]

_CODE_GENERATOR = "it is for LLVM's own passes, which mlir-opt does not run either"
_DEBUG_COUNTERS = "the bindings were built without debug counters"
_PLUGINS = "the bindings load no plugins; passes and op models in Python come by entry points (docs/WRITING_PASSES.md)"
_REMARKS = "the bindings have no remark engine; remarks of passes are diagnostics"

_FLAGS = {
    "the bindings do not let a debugger stop at actions": "mlir-enable-debugger-hook",
    _CODE_GENERATOR: (
        "always-rename-promoted-locals crash-diagnostics-dir disable-i2p-p2i-opt disable-symbolication "
        "elide-all-zero-branch-weights enable-fs-discriminator import-constants-with-refs info-output-file "
        "non-global-value-max-name-size opt-bisect opt-bisect-limit opt-bisect-verbose opt-disable pass-remarks "
        "pass-remarks-analysis pass-remarks-missed pick-merged-source-locations preserve-ll-uselistorder "
        "print-addrspace-name print-inst-addrs print-inst-debug-locs print-prof-data "
        "profcheck-disable-metadata-fixes propagate-attrs rng-seed sort-timers stats stats-json track-memory "
        "use-constant-int-for-fixed-length-splat use-constant-int-for-scalable-splat "
        "use-dereferenceable-at-point-semantics"
    ),
    _DEBUG_COUNTERS: (
        "debug-counter debug-counter-break-on-last mlir-debug-counter mlir-print-debug-counter print-debug-counter "
        "print-debug-counter-queries"
    ),
    _PLUGINS: "load-dialect-plugin load-pass-plugin",
    _REMARKS: (
        "remark-format remark-policy remarks-filter remarks-filter-analyse remarks-filter-failed "
        "remarks-filter-missed remarks-filter-passed remarks-output-file remarks-section"
    ),
    "the bindings write bytecode with a producer of their own": "emit-bytecode-producer",
    "the bindings write bytecode with all resources": "elide-resource-data-from-bytecode",
    "the parsers of the bindings always verify": "mlir-very-unsafe-disable-verifier-on-parsing",
}

UNSUPPORTED = {name: reason for reason, names in _FLAGS.items() for name in names.split()}
"""Name -> reason."""
