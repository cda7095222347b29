#!/usr/bin/env python3
"""Changes single cells of a CSV file and leaves every other byte as it was.

EDITS is a comma-separated file with the columns key, column, old and new. An edit applies to the one row whose key
column holds `key`, and only when the cell holds `old`. If any edit does not apply, all that do not are named and
nothing is written.
"""

import argparse
import csv
import io
import re
import sys
from pathlib import Path

BYTE_ORDER_MARK = "\ufeff"
EDIT_COLUMNS = {"key", "column", "old", "new"}


def split_records(text):
    """Records with their line ends; a line break inside quotes belongs to its record."""
    records, current = [], ""
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        current += line
        if current.count('"') % 2 == 0:
            records.append(current)
            current = ""
    return records + ([current] if current else [])


def cells_of(record, delimiter):
    """Raw cells with their quotes, as they stand in the record."""
    cells, start, quoted = [], 0, False
    for position, character in enumerate(record):
        if character == '"':
            quoted = not quoted
        elif character == delimiter and not quoted:
            cells.append(record[start:position])
            start = position + 1
    return cells + [record[start:]]


def plain(cell):
    if len(cell) >= 2 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def written(value, was, delimiter):
    """The new value, quoted when its predecessor was or when it has to be."""
    if was.startswith('"') or any(mark in value for mark in (delimiter, '"', "\n", "\r")):
        return '"' + value.replace('"', '""') + '"'
    return value


def patch(text, edits, key, delimiter):
    """The patched text, and a sentence for every edit that does not apply."""
    bodies = [(record.rstrip("\r\n"), record[len(record.rstrip("\r\n")) :]) for record in split_records(text)]
    rows = [cells_of(body, delimiter) for body, _ in bodies]
    header = [plain(cell.lstrip(BYTE_ORDER_MARK)) for cell in rows[0]]
    key_index = header.index(key) if key else 0
    faults = []
    for edit in edits:
        place = f"key {edit['key']!r}, column {edit['column']!r}"
        matches = [row for row in rows[1:] if len(row) == len(header) and plain(row[key_index]) == edit["key"]]
        if edit["column"] not in header:
            faults.append(f"{place}: no such column")
        elif len(matches) != 1:
            faults.append(f"{place}: {len(matches)} rows have this key, expected one")
        else:
            index = header.index(edit["column"])
            if plain(matches[0][index]) != edit["old"]:
                faults.append(f"{place}: holds {plain(matches[0][index])!r}, expected {edit['old']!r}")
            else:
                matches[0][index] = written(edit["new"], matches[0][index], delimiter)
    return "".join(delimiter.join(row) + end for row, (_, end) in zip(rows, bodies)), faults


def edits_of(text):
    edits = list(csv.DictReader(io.StringIO(text, newline="")))
    if any(set(edit) != EDIT_COLUMNS or None in edit.values() for edit in edits):
        raise ValueError("the edits must have the columns key, column, old and new, and no others")
    return edits


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("edits", type=Path)
    parser.add_argument("--key", help="column that names a row; default: the first")
    parser.add_argument("--delimiter", default=",")
    parser.add_argument("--encoding", default="utf-8")
    parser.add_argument("--output", type=Path, help="default: FILE.patched")
    options = parser.parse_args()
    try:
        text = options.file.read_bytes().decode(options.encoding)
        edits = edits_of(options.edits.read_text("utf-8-sig"))
        patched, faults = patch(text, edits, options.key, options.delimiter)
    except (OSError, UnicodeDecodeError, LookupError, ValueError, IndexError) as error:
        print(f"csv_patch: {error}", file=sys.stderr)
        return 2
    if faults:
        print("\n".join(f"csv_patch: {fault}" for fault in faults), file=sys.stderr)
        return 1
    output = options.output or options.file.with_name(options.file.name + ".patched")
    output.write_bytes(patched.encode(options.encoding))
    print(f"{len(edits)} cells changed, written to {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
