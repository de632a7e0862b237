"""Parts of Pipelines of scikit-learn for the mixed table, as a user would write them."""

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUMBERS, CATEGORIES = ["length", "width", "flag"], ["colour", "size"]
COLUMNS = {"columns": {"numbers": ["impute", "scale"], "categories": ["impute", "onehot"]}}
LOGISTIC = {"solver": "newton-cholesky", "tol": 1e-10, "max_iter": 1000}


def by_columns(strategy: str = "median") -> ColumnTransformer:
    numbers = make_pipeline(SimpleImputer(strategy=strategy), StandardScaler())
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    categories = make_pipeline(SimpleImputer(strategy="most_frequent"), one_hot)
    return ColumnTransformer([("n", numbers, NUMBERS), ("c", categories, CATEGORIES)])
