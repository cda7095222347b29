import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Plan, planSchema } from "../artefacts/plan.ts";
import { UserError } from "../errors.ts";
import { scaleInputs, scalePlan } from "../testing/bench/scale-campaign.ts";
import { readArtefact } from "./artefact.ts";
import { writeJson } from "./atomic.ts";
import { readPlanFile } from "./read-plan.ts";

const remedy = "Make one.";
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "read-plan-"));
  file = join(folder, "plan.json");
});
afterEach(() => rm(folder, { recursive: true }));

const plan = scalePlan(scaleInputs(400));
const odd = '  "trials": [\n    {\n    },\n  ]';
const named: Plan = { ...plan, campaign: odd, inputs: { ...plan.inputs, name: odd } };
const { trials, ...others } = plan;

const layouts: readonly (readonly [name: string, text: string])[] = [
  ["as it is written", `${JSON.stringify(plan, null, 2)}\n`],
  ["with its trials first", `${JSON.stringify({ trials, ...others }, null, 2)}\n`],
  ["with texts that look like its layout", `${JSON.stringify(named, null, 2)}\n`],
  ["without a trial", `${JSON.stringify({ ...plan, trials: [] }, null, 2)}\n`],
  ["on one line", JSON.stringify(plan)],
  ["by another hand", JSON.stringify(plan, null, "\t")],
  ["without its last newline", JSON.stringify(plan, null, 2)],
  ["with carriage returns", `${JSON.stringify(plan, null, 2).replaceAll("\n", "\r\n")}\r\n`],
  [
    "with an unknown member in a trial",
    JSON.stringify({ ...plan, trials: trials.map((one) => ({ ...one, x: { y: [{}] } })) }, null, 2),
  ],
];

test.each(layouts)("a plan %s is read as it always is", async (_name, text) => {
  await writeFile(file, text);
  expect(await readPlanFile(file, remedy)).toEqual(await readArtefact(file, planSchema, remedy));
});

test("no file is null", async () => {
  expect(await readPlanFile(file, remedy)).toBeNull();
});

test.each<readonly [name: string, change: (text: string) => string]>([
  ["cut off", (text) => text.slice(0, text.length / 2)],
  ["cut off behind its trials", (text) => text.replace(/\]\n\}\n$/, "]\n")],
  ["empty", () => ""],
  ["without a comma between two trials", (text) => text.replace("    },\n    {", "    }\n    {")],
  ["with a comma behind the last trial", (text) => text.replace("    }\n  ]", "    },\n  ]")],
  ["with half a line behind it", (text) => `${text}{"for`],
  ["with a trial that is none", (text) => text.replace('"n": 1', '"n": "one"')],
  ["with a comma too many in a trial", (text) => text.replace('"n": 1,', '"n": 1,,')],
  [
    "with its trials twice",
    (text) => text.replace(/\n\}\n$/, ',\n  "trials": [\n  ]\n}\n').replace('"inputsHash"', '"x"'),
  ],
  ["of another version", (text) => text.replace(/plan@\d+/, "plan@99")],
])("a plan %s is refused with its path and the remedy", async (_name, change) => {
  await writeJson(file, plan);
  await writeFile(file, change(await readFile(file, "utf8")));
  const refused = readPlanFile(file, remedy);
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(/plan\.json: .*Make one\.$/s);
});
