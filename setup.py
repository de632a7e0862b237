"""Puts the workflow into the package: ``workflow/Snakefile`` becomes ``heldout/workflow/Snakefile``, and so on.

Everything else is in pyproject.toml. An editable installation is not built: it finds the workflow where it is.
"""

from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

WORKFLOW = Path("workflow")
PARTS = ("Snakefile", "rules/*.smk", "report/*.rst", "schemas/*.json", "profiles/*/*")


class BuildWithWorkflow(build_py):
    """Copies the workflow beside the modules of heldout."""

    def run(self) -> None:
        """Build the package, then copy what Snakemake reads."""
        super().run()
        if not self.editable_mode:
            for source, built in self._workflow():
                self.mkpath(str(built.parent))
                self.copy_file(str(source), str(built))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """What the build writes."""
        return [
            *super().get_outputs(include_bytecode),
            *(str(built) for _, built in self._workflow()),
        ]

    def get_source_files(self) -> list[str]:
        """What the build reads: all of it goes into an sdist."""
        return [*super().get_source_files(), *(str(source) for source, _ in self._workflow())]

    def _workflow(self) -> Iterator[tuple[Path, Path]]:
        """Each file of the workflow, and its place in the build."""
        for source in sorted(path for part in PARTS for path in WORKFLOW.glob(part)):
            if source.is_file():
                yield source, Path(self.build_lib, "heldout", source)


setup(cmdclass={"build_py": BuildWithWorkflow})
