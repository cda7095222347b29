import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { capturedIo } from "../testing/captured-io.ts";
import { DoctorRig, doctorKey, tested, troubled } from "../testing/doctor-command.ts";
import { chatsIn } from "../testing/eval-command.ts";
import { main } from "./main.ts";

vi.setConfig({ testTimeout: 60_000 });

let rig: DoctorRig;
beforeAll(async () => {
  rig = await DoctorRig.open();
});
afterAll(() => rig.close());
beforeEach(() => rig.begin());

test("a campaign that can begin: every check is ok, nothing is paid for and nothing is written", async () => {
  const told = await rig.doctor();
  expect(troubled(told)).toEqual([]);
  expect(told.code).toBe(0);
  expect(told.counts).toEqual({ ok: told.rows.length, warn: 0, fail: 0 });
  const found = Object.fromEntries(told.rows.map((row) => [row.check, row.found]));
  expect(found[`model ${tested}`]).toBe(
    "agent; alpha/fp8; $1.00 in, $5.00 out per million tokens; takes tools; window 128000 tokens",
  );
  expect(found["key OPENROUTER_API_KEY"]).toBe("set (not shown)");
  expect(found["benchmarks of sample"]).toBe("1 of 1 fit the record of their gate");
  expect(found["estimate"]).toMatch(/^Estimated cost .*\$/);
  expect(chatsIn(rig.server.fake.log)).toEqual([]);
  await expect(readFile(join(rig.folder, "out"))).rejects.toThrow("ENOENT");
});

test("a file with problems: all of them are told, and engine and machine are looked at", async () => {
  await writeFile(join(rig.folder, "skillproof.config.yaml"), "name: a b\nsede: 7\n");
  const told = await rig.doctor();
  expect(told.code).toBe(2);
  const row = told.rows.find(({ check }) => check === "campaign file");
  expect(row).toMatchObject({ state: "fail", mend: "${EDITOR:-vi} skillproof.config.yaml" });
  expect(row?.found).toMatch(/2 problem\(s\)\n.*name: .*\n.*sede: unknown key; did you mean seed\?/s);
  expect(told.rows.map(({ check }) => check)).toContain("engine");
});

test("without a file it says how to get one, and that is no failure of the file", async () => {
  await rm(join(rig.folder, "skillproof.config.yaml"));
  const { rows } = await rig.doctor();
  expect(rows.find(({ check }) => check === "campaign file")).toMatchObject({
    state: "warn",
    mend: "skillproof init",
  });
});

test("a named file that is not there is the user's to mend", async () => {
  const told = await rig.doctor("--config", "my other.yaml");
  expect(told.code).toBe(2);
  expect(told.rows.find(({ check }) => check === "campaign file")).toMatchObject({
    state: "fail",
    mend: "skillproof init --config 'my other.yaml'",
  });
});

test("commands name the file that was named", async () => {
  await rig.configure({ sandbox: { packages: ["figlet"] } });
  const { rows } = await rig.doctor("-c", "./skillproof.config.yaml");
  expect(rows.find(({ check }) => check === "engine image")?.mend).toBe(
    "skillproof image --config ./skillproof.config.yaml",
  );
});

test("with stand-ins alone neither key nor server is needed", async () => {
  await writeFile(
    join(rig.folder, "policy.yaml"),
    "format: skillproof/stand-in-policy@1\nmodels:\n  stand-in/idle:\n    tasks: []\n",
  );
  const before = rig.server.fake.log.length;
  await rig.configure({
    models: { standIn: "policy.yaml", apiKeyEnv: "OTHER_KEY", baseUrl: "https://models.invalid/v1" },
    evaluation: { models: ["stand-in/idle"], budgetUsd: undefined },
    judge: { models: [] },
    authoring: { backend: "replay", model: undefined, recording: "drafts.yaml" },
  });
  const { code, rows } = await rig.doctor();
  expect(code).toBe(0);
  const found = Object.fromEntries(rows.map((row) => [row.check, row.found]));
  expect(found["key"]).toBe("none is needed: only stand-ins take part");
  expect(found["estimate"]).toBe("costs nothing: only stand-ins take part");
  expect(rig.server.fake.log).toHaveLength(before);
});

test("people read one row per check, with the command below, and nothing foreign reaches the terminal raw", async () => {
  await rig.configure({ evaluation: { models: ["delta/co\u001b[31mdr\u202e"] } });
  const io = capturedIo(rig.folder, { env: { OPENROUTER_API_KEY: doctorKey } });
  expect(await main(["doctor"], io)).toBe(2);
  expect(io.stdout()).toMatch(/^ok {4}node +v\d+/m);
  expect(io.stdout()).toMatch(/^fail {2}model delta\/co .*unknown model/m);
  expect(io.stdout()).toMatch(/^ +→ curl -sS http/m);
  expect(io.stdout()).toMatch(/^\d+ of \d+ checks ok, \d+ warning\(s\), 1 failed$/m);
  expect(io.stdout()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  expect(io.stdout()).not.toContain(doctorKey);
});
