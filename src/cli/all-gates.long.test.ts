import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dump } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gateRecordSchema, type GateRecord } from "../artefacts/gate.ts";
import type { RawConfig } from "../config.ts";
import { bundleFolders } from "../store/benchmarks.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { main } from "./main.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const shipped = join(root, "benchmarks/house-style");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "all-gates-"));
  await cp(shipped, join(folder, "house-style"), { recursive: true });
  const config: RawConfig = {
    name: "all-gates",
    skills: [join(root, "skills/house-style")],
    models: { standIn: join(root, "src/testing/demo/policy.yaml") },
    judge: { models: ["stand-in/judge-a", "stand-in/judge-b", "stand-in/judge-c"] },
  };
  await writeFile(join(folder, "skillproof.config.yaml"), dump(config));
});
afterAll(() => rm(folder, { recursive: true }));

const recordIn = async (place: string): Promise<GateRecord> =>
  gateRecordSchema.parse(JSON.parse(await readFile(join(place, "gate.json"), "utf8")));

test.for(await bundleFolders(shipped))(
  "%s passes the whole gate again, and comes to the same",
  { timeout: 600_000 },
  async (id) => {
    const io = capturedIo(folder);
    expect(await main(["validate", join("house-style", id)], io), io.stdout()).toBe(0);
    // Where the time went, for whoever reads the log.
    console.log(io.stdout());
    const [committed, again] = [
      await recordIn(join(shipped, id)),
      await recordIn(join(folder, "house-style", id)),
    ];
    expect({ ...again, image: committed.image, answers: [] }).toEqual({ ...committed, answers: [] });
    expect(again.answers.map(({ key, answer }) => [key, answer])).toEqual(
      committed.answers.map(({ key, answer }) => [key, answer]),
    );
  },
);
