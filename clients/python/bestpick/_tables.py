"""Tables: rows that go to the server, and rows that come from it."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Tuple, Union

# A file in a format that the server reads, by its path; or rows, as dictionaries or as anything that has
# to_dict("records"), such as a DataFrame.
Table = Union[str, "os.PathLike[str]", Iterable[Mapping[str, object]], Any]


class Rows(List[Dict[str, Any]]):
    """A list of dictionaries, one for each row."""

    def to_dataframe(self) -> Any:
        """Returns the rows as a pandas DataFrame; attributes of options become columns such as option.price. It needs pandas."""
        import pandas  # type: ignore[import]

        return pandas.json_normalize(list(self))


def records(table: Any) -> Rows:
    """Returns the rows of a table without missing values, with values that JSON has."""
    rows = table.to_dict("records") if hasattr(table, "to_dict") else table
    return Rows({name: _value(value) for name, value in dict(row).items() if not _missing(value)} for row in rows)


def file(name: str, table: Table) -> Tuple[str, bytes]:
    """Returns the name of a file, whose ending tells the format, and its contents."""
    if isinstance(table, (str, os.PathLike)):
        path = Path(table)
        return path.name, path.read_bytes()
    lines = [json.dumps(row, allow_nan=False) + "\n" for row in records(table)]
    return name + ".jsonl", "".join(lines).encode()


def numbers(result: Any, *without: str) -> Dict[str, Any]:
    """Returns the fields of a result, which is a dataclass, without some of them."""
    return {f.name: getattr(result, f.name) for f in dataclasses.fields(result) if f.name not in without}


def _missing(value: object) -> bool:
    """Reports whether a table has no value: None, NaN and NaT, which are not equal to themselves."""
    return value is None or bool(isinstance(value, float) and value != value) or type(value).__name__ in ("NaTType", "NAType")


def _value(value: Any) -> Any:
    """Returns a value as JSON has it: numbers of numpy as plain numbers, times as text."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    return value
