import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { gunzipSync } from "node:zlib";
import { dump } from "js-yaml";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RawConfig } from "../config.ts";
import { connectEngine } from "../sandbox/engine.ts";
import { encodeOwner, ownerLabel, thisOwner } from "../sandbox/owner.ts";
import { writeBenchmark } from "../store/benchmarks.ts";
import { letterBundle, passedGate } from "../testing/benchmark.ts";
import { capturedIo } from "../testing/captured-io.ts";
import { type FakeModel, type RunningFake, startFake } from "../testing/fake-openrouter.mjs";
import { sampleCampaign } from "../testing/sample-campaign.ts";
import { evaluate } from "./eval.ts";
import { loadCampaignFile } from "./io.ts";
import { main } from "./main.ts";

vi.setConfig({ testTimeout: 180_000 });

const canary = "sk-or-v1-canary-7d1f0c9be24a";
/** What a server may answer that repeats the key it was given. */
const echo = { merge: { error: { message: `Incorrect API key provided: ${canary}` } } };
const judges = ["acme/judge-a", "bravo/judge-b", "carol/judge-c"];
const look =
  "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; ls -a /workspace /skill; cat /workspace/.env";

let server: RunningFake;
let folder: string;
const said: string[] = [];

beforeAll(async () => {
  server = await startFake();
  folder = await sampleCampaign();
  await writeFile(join(folder, ".env"), `OPENROUTER_API_KEY=${canary}\n`);
  const letter = letterBundle();
  await writeBenchmark(join(folder, "benchmarks/sample/letter"), letter, passedGate(letter));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Looks everywhere it can for a key, after one error that repeats it; as an author it leaves half a draft. */
function curious(): FakeModel {
  const half = { name: "write_file", args: { path: "draft/task.md", content: "Half a draft\n" } };
  const letter = { name: "write_file", args: { path: "letter.md", content: "Dear Madam\n" } };
  const bash = { name: "bash", args: { command: `(${look}) | tee found.txt` } };
  return {
    rules: [
      { times: 1, turn: 2, do: { fault: "server_error", ...echo } },
      { if: { system_has: "You write benchmarks" }, do: { agent: [[bash, half], "Done."] } },
      { do: { agent: [[bash, letter], "Done."] } },
    ],
  };
}

async function campaign(models: Readonly<Record<string, FakeModel>>, account = {}): Promise<void> {
  const answering = Object.fromEntries(
    judges.map((id) => [id, { rules: [{ do: { judge: { default: "NO" } } }] }]),
  );
  server.fake.load({ account, models: { ...answering, ...models } });
  const config: RawConfig = {
    name: "sample",
    skills: ["skills/sample"],
    models: { baseUrl: server.baseURL, record: "recordings" },
    evaluation: { models: ["acme/coder"], trials: 1 },
    judge: { models: judges },
    authoring: { model: "acme/coder", maxAttempts: 1 },
    clustering: { kMin: 1, benchmarks: 1 },
  };
  await writeFile(join(folder, "skillproof.config.yaml"), dump(config));
}

async function command(args: readonly string[], over: Parameters<typeof capturedIo>[1] = {}) {
  const io = capturedIo(folder, { env: { OPENROUTER_API_KEY: canary }, ...over });
  const code = await main(args, io);
  said.push(io.stdout(), io.stderr());
  return { code, io };
}

/** Does `act`, and meanwhile reads how the engine would describe every container of this process. */
async function watched<T>(
  act: () => Promise<T>,
): Promise<{ readonly done: T; readonly seen: ReadonlyMap<string, string> }> {
  const docker = await connectEngine(null);
  const seen = new Map<string, string>();
  let ended = false;
  const filters = { label: [`${ownerLabel}=${encodeOwner(thisOwner())}`] };
  const watch = async (): Promise<void> => {
    while (!ended) {
      for (const { Id } of await docker.listContainers({ all: true, filters })) {
        if (seen.has(Id)) continue;
        const described = await describe(docker.getContainer(Id));
        if (described !== null) seen.set(Id, described);
      }
    }
  };
  const watching = watch();
  const done = await act().finally(() => {
    ended = true;
  });
  await watching;
  return { done, seen };
}

/** Null for one that is gone meanwhile. */
async function describe(container: { inspect(): Promise<unknown> }): Promise<string | null> {
  try {
    return JSON.stringify(await container.inspect());
  } catch (error) {
    if ((error as { readonly statusCode?: number }).statusCode === 404) return null;
    throw error;
  }
}

/** Files below the campaign's folder that hold the key as it is, in a compressed form or in base64. */
async function filesWithKey(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.filter((file) => file.endsWith(".gz"))).not.toEqual([]);
  const found = await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file);
      const plain = file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
      return holdsKey(plain.toString("latin1")) ? [file.slice(folder.length + 1)] : [];
    }),
  );
  return found.flat();
}

function requireNoKey(seen: ReadonlyMap<string, string>): void {
  for (const described of seen.values()) {
    expect(described).toContain('"Env":[');
    expect(holdsKey(described)).toBe(false);
  }
}

function holdsKey(text: string): boolean {
  return text.includes(canary) || text.includes(Buffer.from(canary).toString("base64"));
}

const scrubbed = "Incorrect API key provided: ***";

test("trials, judges, verdicts, report, recording: the key stays with the host", async () => {
  await campaign({ "acme/coder": curious() });
  const { done, seen } = await watched(() => command(["eval", "--yes"]));
  expect(done.code, done.io.stderr()).toBe(0);
  expect(server.fake.log.filter(({ fault }) => fault === "server_error")).toHaveLength(1);
  expect(server.fake.log.some(({ model }) => model === judges[0])).toBe(true);
  // Two canaries, and for each of four trials one to work and one to grade.
  expect(seen.size).toBeGreaterThanOrEqual(6);
  requireNoKey(seen);
  const [name = ""] = (await readdir(join(folder, "out"))).filter((one) => one.startsWith("sample-"));
  expect((await command(["grade", name])).code).toBe(0);
  expect((await command(["report", name])).code).toBe(0);
  const exchanges = await readFile(join(folder, "recordings/exchanges.jsonl"), "utf8");
  expect(exchanges).toContain(scrubbed);
  // The agents' own look at their environment was answered, and is on disk.
  expect(exchanges).toContain("PATH=");
});

test("an author and its container", async () => {
  await campaign({ "acme/coder": curious() });
  const { done, seen } = await watched(() => command(["build", "skills/sample"], { env: {} }));
  expect(done.code, done.io.stderr()).toBe(1);
  expect(seen.size).toBeGreaterThan(0);
  requireNoKey(seen);
  const files = await readdir(join(folder, "benchmarks/sample"), { recursive: true });
  const failed = files.find((file) => file.endsWith("FAILED.md")) ?? "";
  expect(await readFile(join(folder, "benchmarks/sample", failed), "utf8")).toContain("PATH=");
});

test("errors that repeat it, in every way a command can end", async () => {
  await campaign({ "acme/coder": { rules: [{ do: { fault: "unauthorized", ...echo } }] } });
  const lost = await command(["eval", "--yes", "--trials", "2"]);
  expect(lost.code).toBe(3);
  expect(lost.io.stderr()).toContain(scrubbed);
  const author = await command(["build", "skills/sample", "--force"]);
  expect(author.code).toBe(3);
  expect(author.io.stderr()).toContain(scrubbed);

  const ask = (): Promise<never> => Promise.reject(new TypeError("the terminal is gone"));
  const crash = await command(["eval", "--trials", "3"], { ask });
  expect(crash.code).toBe(3);
  expect(crash.io.stderr()).toContain("this is a fault of skillproof");
});

test.each([
  ["a model that refuses it", 4, {}, scrubbed],
  ["an account that does not know it", 5, { reject_keys: [canary] }, "OPENROUTER_API_KEY"],
])("errors as they are thrown, causes included: %s", async (_what, trials, account, words) => {
  await campaign({ "acme/coder": { rules: [{ do: { fault: "unauthorized", ...echo } }] } }, account);
  const io = capturedIo(folder);
  const loaded = await loadCampaignFile(io, undefined, { trials });
  expect(loaded.env["OPENROUTER_API_KEY"]).toBe(canary);
  const error: unknown = await evaluate(loaded, { only: null, yes: true }, io).catch(
    (thrown: unknown) => thrown,
  );
  const shown = inspect(error, { depth: Infinity, showHidden: true });
  expect(shown).toContain(words);
  expect(holdsKey(shown)).toBe(false);
  said.push(io.stderr());
});

test("the key is in no word that was said and in no file but .env", async () => {
  expect(said.length).toBeGreaterThan(10);
  expect(said.filter(holdsKey)).toEqual([]);
  expect(await filesWithKey()).toEqual([".env"]);
});
