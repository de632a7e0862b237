"""Predictions with few different values take a byte a row, and come back as they were."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from heldout.cells import repeated_rows
from heldout.cells.key import Keys
from heldout.cells.repeated_rows import LEAST, MOST, coded, decoded
from heldout.cells.score_file import Circumstances, Identity, from_bytes, to_bytes
from heldout.predictions import Predictions

IDENTITY = Identity(Keys("fit", "cell"), "knn", {"n_neighbors": 5}, "full", {"full": 6000})
N = 6000
GENERATOR = np.random.default_rng(0)
SHARES = GENERATOR.integers(0, 16, size=N) / 15
FEW = {
    "two classes": np.column_stack([SHARES, 1 - SHARES]),
    "three classes": GENERATOR.multinomial(5, [0.2, 0.3, 0.5], size=N) / 5,
    "one number": GENERATOR.choice(GENERATOR.normal(size=MOST), size=N),
    "a single value": np.full(N, 0.1),
}


def same(arrays, others):
    return arrays.keys() == others.keys() and all(
        (one.shape, one.dtype, one.tobytes()) == (other.shape, other.dtype, other.tobytes())
        for one, other in ((arrays[name], others[name]) for name in arrays)
    )


@pytest.mark.parametrize("array", FEW.values(), ids=FEW)
def test_few_values_take_a_byte_a_row(array):
    arrays = {"label": np.zeros(N, np.uint8), "proba": array}
    found = coded(arrays)
    assert sorted(found) == ["label", "proba.codes", "proba.different"]
    assert found["proba.codes"].nbytes == N
    assert len(found["proba.different"]) == len(np.unique(array, axis=0))
    assert same(dict(sorted(decoded(found).items())), arrays)


MANY = {
    "many values": GENERATOR.normal(size=N),
    "one value more than there are codes": np.arange(N) % (MOST + 1) / 7,
    "many values after the first rows": np.append(np.zeros(N), GENERATOR.normal(size=N)),
    "two zeros": np.where(np.arange(N) % 2, 0.0, -0.0),
    "a small array": np.zeros(LEAST // 8 - 1),
    "labels": np.zeros(N, np.int64),
}


@pytest.mark.parametrize("array", MANY.values(), ids=MANY)
def test_other_arrays_stay_as_they_are(array):
    assert same(coded({"value": array}), {"value": array})


def test_an_array_is_coded_from_a_size_on():
    assert len(coded({"value": np.zeros(LEAST // 8)})) == 2


def test_a_score_file_has_the_same_seal_however_it_is_stored(tmp_path, monkeypatch):
    said = Predictions(label=np.zeros(N, np.uint8), proba=FEW["two classes"])
    data, seal = to_bytes(IDENTITY, said, Circumstances())
    assert len(data) < 2.3 * N
    (tmp_path / "scores").write_bytes(data)
    parts = load_file(tmp_path / "scores")
    assert np.array_equal(parts["proba.different"][parts["proba.codes"]], said.proba)
    monkeypatch.setattr(repeated_rows, "LEAST", np.inf)
    plain, plain_seal = to_bytes(IDENTITY, said, Circumstances())
    assert (plain_seal, len(plain) > 17 * N) == (seal, True)
    for one in (data, plain):
        found = from_bytes(one)
        assert found is not None
        assert same(found.predictions.arrays(), said.arrays())


def test_damage_to_codes_is_noticed():
    data, _ = to_bytes(IDENTITY, Predictions(value=FEW["one number"]), Circumstances())
    for place in (-1, -N, -N - 5, -N - 9):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        assert from_bytes(bytes(changed)) is None
