import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseDraft } from "../author/draft.ts";
import { type DockerSandbox, dockerSandbox } from "../sandbox/docker-sandbox.ts";
import { defaultSettings } from "../sandbox/settings.ts";
import { bundleFolders, readBundle } from "../store/benchmarks.ts";
import { type CheatYard, openCheatYard } from "../testing/bad-bundles/prove-cheats.ts";
import { judgeOf, says } from "../testing/gradings.ts";

const shipped = join(import.meta.dirname, "..", "..", "benchmarks", "house-style");
const folders = await bundleFolders(shipped);

let sandbox: DockerSandbox;
let yard: CheatYard;
beforeAll(async () => {
  sandbox = await dockerSandbox(defaultSettings);
  yard = await openCheatYard(sandbox);
}, 600_000);
afterAll(async () => {
  await sandbox.close();
  await yard.close();
});

test.each(folders)("the shipped %s resists the whole pack", async (id) => {
  const bundle = await readBundle(join(shipped, id), parseDraft);
  // Judges that a cheat has won over: the grader must not get as far as asking them.
  const judges = ["a/1", "b/2", "c/3"].map((judge) => judgeOf(judge, says.yes));
  const finding = await yard.prove(bundle, { judges });
  expect(finding.passed, finding.words).toBe(true);
  expect(finding.evidence).toHaveLength(yard.cheats.length);
});
