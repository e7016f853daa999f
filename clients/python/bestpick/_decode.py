"""JSON into the results of this package."""

from __future__ import annotations

import dataclasses
import re
from datetime import datetime
from typing import Any, Type, TypeVar, Union, get_args, get_origin, get_type_hints

_T = TypeVar("_T")


def decode(kind: Type[_T], value: Any) -> _T:
    """Returns JSON as a result, without the fields that the result does not have."""
    result: _T = _convert(kind, value)
    return result


def _convert(kind: Any, value: Any) -> Any:
    if get_origin(kind) is Union:  # Optional
        return None if value is None else _convert(get_args(kind)[0], value)
    if get_origin(kind) is tuple:
        return tuple(_convert(get_args(kind)[0], one) for one in value or ())
    if get_origin(kind) is dict:
        return {name: _convert(get_args(kind)[1], one) for name, one in (value or {}).items()}
    if kind is datetime:
        return read_time(value)
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: _convert(hint, value[name]) for name, hint in hints.items() if name in value})
    return value


def read_time(text: str) -> datetime:
    """Returns a time of RFC 3339. It may have nine digits of a second, of which Python keeps six."""
    match = re.fullmatch(r"(.{19})(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", text)
    if match is None:
        raise ValueError(f"{text!r} is not a time")
    second, fraction, zone = match[1], match[2] or "", match[3].replace("Z", "+00:00")
    return datetime.fromisoformat(f"{second}.{fraction[:6]:0<6}{zone}")
