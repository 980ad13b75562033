"""The one build step pyproject.toml cannot express: of the root's files, two belong to the package."""

from __future__ import annotations

from setuptools import setup
from setuptools.command.build_py import build_py


class RootPackageBuildPy(build_py):
    """Copies the packages; keeps lit.cfg.py and other files of the repository's root out of `mlir_inplace`."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """The (package, module, file) triples of one package; of the root only `__init__` and `__main__`."""
        modules = super().find_package_modules(package, package_dir)
        return modules if "." in package else [found for found in modules if found[1] in ("__init__", "__main__")]


setup(cmdclass={"build_py": RootPackageBuildPy})
