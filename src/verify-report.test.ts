import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Report } from "./artefacts/report.ts";
import { foundCampaign } from "./testing/found-campaign.ts";
import { reportedFiles } from "./verify/reported-files.ts";
import { readReported } from "./verify-report.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "verify-report-"));
});
afterAll(() => rm(folder, { recursive: true }));

const texts = foundCampaign().report;
const [text, timings] = [texts["report.json"] ?? "", texts["timings.json"] ?? ""];
const report = JSON.parse(text) as Report;
const { cells, ...others } = report;
const written = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const cellsEnd = /\}\n {2}\],\n {2}"perSkillAndModel"/;

test.each<[string, string]>([
  ["as it is written", text],
  ["in one line", JSON.stringify(report)],
  ["without cells", written({ ...report, cells: [], further: { ...report.further, cells: [] } })],
  ["with its cells twice", text.replace('  "cells": [', '  "cells": [],\n  "cells": [')],
  ["with its cells twice, the later ones none", text.replace("\n}\n", ',\n  "cells": []\n}\n')],
  ["with its cells last", written({ ...others, zebra: 1, cells })],
  ["with members of another version", written({ ...report, extra: { cells: [{ a: 1 }] } })],
  ["with a cell that is none", written({ ...report, cells: [...report.cells, { skill: 7 }] })],
  ["with a further cell that is none", written({ ...report, further: { ...report.further, cells: [{}] } })],
  ["with a comma behind its last cell", text.replace(cellsEnd, '},\n  ],\n  "perSkillAndModel"')],
  ["without a comma between cells", text.replace("    },\n    {", "    }\n    {")],
  ["that ends in a cell", text.slice(0, text.indexOf('"uplift"', text.indexOf('  "cells": [')))],
  ["that is empty", ""],
])("a report %s is read as one that is parsed as a whole", async (_how, changed) => {
  const [path, beside] = [join(folder, "report.json"), join(folder, "timings.json")];
  await writeFile(path, changed);
  await writeFile(beside, timings);
  expect(await readReported(path, beside)).toEqual(reportedFiles(changed, timings));
});

test("of what is not there it is said that nothing is", async () => {
  const none = join(folder, "none.json");
  expect(await readReported(none, none)).toEqual(reportedFiles(null, null));
  expect(reportedFiles(null, null)).toMatchObject({
    report: { kind: "absent" },
    timings: { kind: "absent" },
  });
});
