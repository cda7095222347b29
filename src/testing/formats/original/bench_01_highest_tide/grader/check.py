import csv
import json
import pathlib
import sys

answer, levels = sys.argv[1:]
kept = pathlib.Path(__file__).with_name("levels.csv").read_text()
assert pathlib.Path(levels).read_text() == kept, "levels.csv was changed"
rows = list(csv.DictReader(kept.splitlines()))
highest = max(rows, key=lambda row: int(row["level"]))
told = json.loads(pathlib.Path(answer).read_text())
assert told == {"hour": highest["hour"], "level": int(highest["level"])}, told
