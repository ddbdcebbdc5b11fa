"""The timestamps that Go's ``time.Time`` takes from JSON."""

from __future__ import annotations

import re

_RFC3339 = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"T(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:[.,][0-9]+)?"
    r"(?:Z|[+-](?P<off_hour>[0-9]{2}):(?P<off_minute>[0-9]{2}))"
)
_LIMITS = {"hour": 23, "minute": 59, "second": 59, "off_hour": 24, "off_minute": 60}
"""Go's own limits, the odd +24:60 included."""


def is_go_time(text: str) -> bool:
    """Say whether ``time.Time.UnmarshalJSON`` takes the text: RFC 3339 with a zone, and a real date.

    Go also takes a one-digit hour and a comma before the fraction; so does this.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        return False
    month, day = int(match["month"]), int(match["day"])
    if not 1 <= month <= 12 or not 1 <= day <= _days(int(match["year"]), month):
        return False
    return all(int(match[name] or 0) <= most for name, most in _LIMITS.items())


def _days(year: int, month: int) -> int:
    if month == 2:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return 29 if leap else 28
    return 30 if month in (4, 6, 9, 11) else 31
