"""What was found out about columns, in words."""

from heldout.data.description import chosen, described, how_read


def facts(**missing):
    columns = [
        *({"name": f"x{i}", "kind": "number", "levels": []} for i in range(100)),
        {"name": "price", "kind": "number", "levels": [], "spelling": "money"},
        {"name": "when", "kind": "date", "levels": [], "spelling": "DD.MM.YYYY"},
        {"name": "day", "kind": "date", "levels": []},
        {"name": "city", "kind": "many", "levels": [], "count": 60},
        *({"name": f"c{i}", "kind": "category", "levels": ["a", "b"]} for i in range(3)),
    ]
    return {"n": 400, "schema": {"columns": columns}, "missing": missing}


def test_columns_are_described():
    by_name = {one.name: one for one in described(facts(x3=100, x4=1))}
    assert by_name["price"].spelled == "money, decimal '.'"
    assert by_name["when"].spelled == "DD.MM.YYYY"
    assert by_name["day"].spelled == "typed"
    assert by_name["city"].levels == "60 levels"
    assert by_name["c0"].levels == "a, b"
    assert [by_name[name].missing for name in ("x2", "x3", "x4")] == ["", "25 %", "< 1 %"]


def test_of_a_wide_table_the_telling_columns_are_kept():
    some, rest = chosen(described(facts(x50=1)), 10)
    assert [one.name for one in some] == [
        "x0",
        "x1",
        "x50",
        "price",
        "when",
        "day",
        "city",
        "c0",
        "c1",
        "c2",
    ]
    assert rest == "and 97 more numbers"
    some, rest = chosen(described(facts()), 3)
    assert rest == "and 100 more numbers, 1 more category with many levels, 3 more categories"
    assert chosen(described(facts()), 1000)[1] == ""


def test_how_a_file_was_read_is_said():
    found = {"format": "csv", "delimiter": ";", "thousands": None, "renamed": {"a_2": "a"}}
    assert how_read(found) == {"Format": "csv", "Delimiter": ";", "Renamed": "'a' to 'a_2'"}
