"""Libraries with learners that are installed: in CI all of them must be."""

import os
from importlib.util import find_spec

INSTALLED = [
    name
    for name in ("lightgbm", "xgboost", "catboost", "sklearnex")
    if os.environ.get("CI") or find_spec(name)
]
