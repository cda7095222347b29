#!/usr/bin/env python3
"""Describes a CSV file: dialect, rows that do not fit the header, and what each column holds."""

import argparse
import csv
import io
import json
import re
import sys
from collections import Counter
from pathlib import Path

DELIMITERS = ",;\t|"
KINDS = (
    ("integer", re.compile(r"[+-]?\d+")),
    ("decimal", re.compile(r"[+-]?\d{1,3}(?:[ .,']\d{3})*[.,]\d+|[+-]?\d+[.,]\d+")),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")),
)


def decode(data):
    """Text and the name of the encoding. Byte order marks decide; else UTF-8 when it fits, else Windows-1252."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(name), name
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "cp1252"


def line_end_of(text):
    counts = Counter({"CRLF": text.count("\r\n")})
    counts["LF"] = text.count("\n") - counts["CRLF"]
    counts["CR"] = text.count("\r") - counts["CRLF"]
    found = [name for name, count in counts.items() if count]
    return " and ".join(found) or "none"


def rows_of(text, delimiter):
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]


def delimiter_of(text):
    """The delimiter under which most rows have the header's number of cells, with more cells winning a tie."""

    def fit(delimiter):
        rows = rows_of(text, delimiter)
        width = len(rows[0]) if rows else 0
        return (width > 1, sum(len(row) == width for row in rows), width)

    return max(DELIMITERS, key=fit)


def kind_of(cell):
    if cell.strip() == "":
        return "empty"
    return next((name for name, pattern in KINDS if pattern.fullmatch(cell.strip())), "text")


def column_profile(name, cells):
    kinds = Counter(map(kind_of, cells))
    filled = [cell for cell in cells if kind_of(cell) != "empty"]
    return {
        "name": name,
        "empty": kinds.pop("empty", 0),
        "distinct": len(set(filled)),
        "kinds": dict(kinds.most_common()),
        "examples": list(dict.fromkeys(filled))[:2],
    }


def profile(data, sample):
    text, encoding = decode(data)
    delimiter = delimiter_of(text)
    rows = rows_of(text, delimiter)
    header = rows[0] if rows else []
    body = rows[1:]
    misfits = [number for number, row in enumerate(body, 2) if len(row) != len(header)]
    fitting = [row for row in body if len(row) == len(header)][:sample]
    return {
        "encoding": encoding,
        "line_end": line_end_of(text),
        "delimiter": delimiter,
        "quoted": '"' in text,
        "rows": len(body),
        "rows_that_do_not_fit": misfits,
        "columns": [column_profile(name, [row[i] for row in fitting]) for i, name in enumerate(header)],
    }


def print_plain(found):
    for key in ("encoding", "line_end", "delimiter", "quoted", "rows"):
        print(f"{key}: {found[key]!r}")
    misfits = found["rows_that_do_not_fit"]
    print(f"rows that do not fit the header: {len(misfits)}", misfits[:20] or "")
    for column in found["columns"]:
        kinds = ", ".join(f"{name} {count}" for name, count in column["kinds"].items())
        print(f"- {column['name']}: {column['distinct']} distinct, {column['empty']} empty; {kinds}; e.g. {column['examples']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--sample", type=int, default=100_000, help="rows to look at for the columns")
    options = parser.parse_args()
    csv.field_size_limit(1 << 28)
    try:
        data = options.file.read_bytes()
    except OSError as error:
        print(f"csv_profile: {options.file}: {error.strerror}", file=sys.stderr)
        return 2
    found = profile(data, options.sample)
    print(json.dumps(found, indent=2, ensure_ascii=False)) if options.json else print_plain(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
