#!/usr/bin/env python3
"""Prints the week and the tide of the Vellmarsh calendar for timestamps.

Usage: vweek.py TIMESTAMP...

Each TIMESTAMP is ISO 8601 with an offset or Z. One line per timestamp: the week, a space, the tide.
Exit code 2 when a timestamp cannot be read.
"""

import sys
from datetime import date, datetime, timedelta, timezone

DAY_BEGINS = timedelta(hours=4, minutes=30)
WEDNESDAY = 2
TIDES = ((11, "neap"), (26, "flood"), (40, "spring"))


def year_start(year: int) -> date:
    """The first Wednesday on or after 10 February."""
    earliest = date(year, 2, 10)
    return earliest + timedelta(days=(WEDNESDAY - earliest.weekday()) % 7)


def depot_day(moment: datetime) -> date:
    return (moment.astimezone(timezone.utc) - DAY_BEGINS).date()


def week_of(day: date) -> tuple[int, int]:
    """Year and week in which the day falls."""
    year = day.year if day >= year_start(day.year) else day.year - 1
    return year, (day - year_start(year)).days // 7 + 1


def tide_of(week: int) -> str:
    return next((name for last, name in TIDES if week <= last), "ebb")


def parse(text: str) -> datetime:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        raise ValueError("it has no offset")
    return moment


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for text in arguments:
        try:
            year, week = week_of(depot_day(parse(text)))
        except ValueError as error:
            print(f"vweek: {text!r} is not a timestamp: {error}", file=sys.stderr)
            return 2
        print(f"V{year % 100:02d}w{week:02d} {tide_of(week)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
