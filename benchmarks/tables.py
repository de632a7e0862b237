"""The tables of the workloads."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

INFORMATIVE = 10
"""So many columns say something, or all where there are fewer."""


@dataclass(frozen=True)
class Table:
    """Gaussian columns and a noisy linear score of the first ones, cut into classes of equal size if asked."""

    n: int
    p: int
    classes: int = 0
    kind: str = "parquet"

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"table.{self.kind}"

    @property
    def columns(self) -> list[str]:
        """The names of its columns, without the target."""
        return [f"x{i:05d}" for i in range(self.p)]

    def draw(self) -> tuple[np.ndarray, np.ndarray]:
        """Features and target."""
        generator = np.random.default_rng(0)
        features = generator.normal(size=(self.n, self.p))
        used = min(self.p, INFORMATIVE)
        score = features[:, :used] @ np.resize([1.0, -0.8, 0.6, -0.4, 0.2], used)
        score += generator.normal(size=self.n)
        if not self.classes:
            return features, score
        return features, np.argsort(np.argsort(score)) * self.classes // self.n

    def write(self, folder: Path) -> None:
        """The same rows as a file."""
        import pyarrow as pa
        from pyarrow import csv, parquet

        features, target = self.draw()
        columns: dict[str, Any] = dict(zip(self.columns, features.T, strict=True))
        table = pa.table({**columns, "y": target})
        write = csv.write_csv if self.kind == "csv" else parquet.write_table
        write(table, folder / self.file)

    def smaller(self) -> "Table":
        """A few hundred rows, and at most 60 columns."""
        return replace(self, n=min(self.n, 400), p=min(self.p, 60))

    def of_few_rows(self) -> "Table":
        """300 rows: what a run needs besides them."""
        return replace(self, n=300)
