"""Names that say which rows belong together, and names that only hold such a word."""

import numpy as np
import pytest

from heldout.data.unit_names import FEWEST, HINT, IDENTIFIER, UNIT, WEAK, names_units
from heldout.data.unit_values import codes_of, may_be_units, repeats_of

UNITS = (
    "pat_no", "participant", "hospital", "customer", "userId", "patientID", "subject", "subj", "donor", "animal",
    "plate", "site", "center", "centre", "clinic", "household", "family", "school", "store", "device", "machine",
    "mouse", "cage", "litter", "plot", "farm", "village", "player", "driver", "patient", "patient_id", "id_patient",
    "PatientNo", "IDPatient", "patienten_nr", "Kunde", "Kundennummer", "Klinik", "Proband", "sujet", "paciente",
    "cliente", "hôpital", "paziente", "patiënt", "Schüler", "患者", "患者ID", "患者番号", "受试者编号", "환자", "пациент",
    "Subject.ID", "SUBJECT_ID", "Patient ID", "patientid", "userid", "PATNO", "USUBJID", "numero_paciente",
    "numéro de patient", "school name", "study_site", "treating_physician_id", "site-code", "mouse.id", "patient1",
    "Fallnummer", "KdNr", "Vpn_code", "MausNr", "Personalnummer", "serial_number", "famid", "numero_dossier", "nro_paciente",
    "NHC", "potilas", "asiakas", "müşteri", "hasta_no", "pacient", "nr_pacjenta", "id_klienta", "номер_пациента", "ид_пациента",
)  # fmt: skip
OTHERS = (
    "user_rating", "patient_age", "site_temperature", "group_size", "batch_norm", "demo_group", "age_group",
    "n_patients", "num_patients", "patients", "tumor_site", "vehicle_class", "type_id", "category_id", "number",
    "code", "name", "key", "family_name", "valid", "paid", "grid", "solid", "width", "identity", "centered",
    "sample_weight", "customer_age", "hospital_days", "school_type", "idle", "session_length", "family_size",
    "no_of_children", "store_sales", "NoEmp", "num_emp", "case_type", "unit_price", "account_balance", "contract_length", "fall", "country", "acid", "rapid", "", "12", "_", "patient " * 20,
)  # fmt: skip


@pytest.mark.parametrize("name", UNITS)
def test_names_about_a_unit(name):
    assert names_units(name) == UNIT


@pytest.mark.parametrize("name", OTHERS)
def test_names_about_something_else(name):
    assert names_units(name) is None


@pytest.mark.parametrize(
    ("name", "sort"),
    [
        *(
            (name, WEAK)
            for name in (
                "group",
                "batch",
                "Gruppe",
                "batch_no",
                "session",
                "class_id",
                "caseid",
                "case_no",
            )
        ),
        *((name, WEAK) for name in ("UnitNumber", "AccountNo", "policy_number", "memberid")),
        *((name, HINT) for name in ("class", "sample", "firm", "vehicle", "unit")),
        *((name, IDENTIFIER) for name in ("id", "PID", "sid", "uuid", "loan_id", "loanId")),
    ],
)
def test_names_that_are_less_clear(name, sort):
    assert names_units(name) == sort


def test_values_must_come_again():
    assert may_be_units("patient", np.repeat(np.arange(5), 2))
    assert not may_be_units("patient", np.repeat(np.arange(4), 20)), "too few values"
    assert not may_be_units("patient", np.arange(100)), "a row each"
    pairs_and_singles = np.r_[np.repeat(np.arange(30), 2), np.arange(30, 130)]
    assert may_be_units("patient", pairs_and_singles)
    assert not may_be_units("patient", np.r_[pairs_and_singles, np.arange(130, 400)])


def test_a_doubtful_name_needs_more_values():
    for sort, name in ((WEAK, "group"), (HINT, "class")):
        fewest = FEWEST[sort]
        assert may_be_units(name, np.repeat(np.arange(fewest), 3))
        assert not may_be_units(name, np.repeat(np.arange(fewest - 1), 3))


@pytest.mark.parametrize("scale", [1, 10**9])
def test_codes_are_those_of_sorted_values(scale):
    values = np.random.default_rng(1).integers(-20, 20, 200) * float(scale)
    values[::7] = np.nan
    known = ~np.isnan(values)
    expected = np.unique(values[known], return_inverse=True)[1]
    found = codes_of(values)
    assert (found[known] == expected).all()
    assert (found[~known] == -1).all()


def test_codes_of_numbers_that_are_not_whole():
    values = np.arange(100.0)
    values[-1] = 0.5
    assert codes_of(values) is None
    assert codes_of(np.full(3, np.nan)) is None


def test_repeats_leave_out_missing_values():
    found = repeats_of(np.array([-1, -1, 3, 3, 5]))
    assert (found.values, found.rows, found.repeated) == (2, 3, 2)
    assert repeats_of(np.array([-1, -1])).values == 0
