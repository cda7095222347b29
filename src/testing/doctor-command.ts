import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { main } from "../cli/main.ts";
import type { RawConfig } from "../config.ts";
import { tagOf } from "../sandbox/image.ts";
import { readContexts, recipeOf } from "../sandbox/recipe.ts";
import { capturedIo } from "./captured-io.ts";
import { writeConfig } from "./eval-command.ts";
import { type FakeEngine, startFakeEngine } from "./fake-engine.ts";
import { type FakeScenario, type RunningFake, startFake } from "./fake-openrouter.mjs";
import { sampleCampaign } from "./sample-campaign.ts";

/** Stands in the environment of the command, and must stand in nothing that it says. */
export const doctorKey = "sk-or-v1-canary-5f3a9d";
export const judges = ["acme/judge-a", "bravo/judge-b", "carol/judge-c"];
export const tested = "delta/coder";

/** A server that has every model of the campaign, and one more. */
export const soundScenario: FakeScenario = {
  models: Object.fromEntries([tested, "acme/coder", "echo/author", ...judges].map((id) => [id, {}])),
};

type Group = "models" | "evaluation" | "judge" | "sandbox" | "authoring" | "embedding";
/** Over the sound campaign, group by group; `undefined` takes a key out. */
export type Changes = Partial<RawConfig> | { readonly [group in Group]?: Readonly<Record<string, unknown>> };

const toldSchema = z.object({
  counts: z.object({ ok: z.number(), warn: z.number(), fail: z.number() }),
  rows: z.array(
    z.object({
      check: z.string(),
      state: z.enum(["ok", "warn", "fail"]),
      found: z.string(),
      mend: z.string().nullable(),
      cause: z.enum(["user", "infrastructure"]).nullable(),
    }),
  ),
});
export type Told = z.infer<typeof toldSchema> & { readonly code: number };

export function troubled({ rows }: Told): Told["rows"] {
  return rows.filter(({ state }) => state !== "ok");
}

/** A campaign that can begin, with a server and an engine that say what they are told to. */
export class DoctorRig {
  readonly server: RunningFake;
  readonly engine: FakeEngine;
  folder = "";
  private readonly answers: FakeEngine["answers"];

  private constructor(server: RunningFake, engine: FakeEngine) {
    this.server = server;
    this.engine = engine;
    this.answers = engine.answers;
  }

  static async open(): Promise<DoctorRig> {
    const recipe = recipeOf(await readContexts(), [], null);
    return new DoctorRig(await startFake(), await startFakeEngine(soundEngine(recipe)));
  }

  /** A campaign of its own for every test, and all sound again. Resolves to what removes it. */
  async begin(): Promise<() => Promise<void>> {
    this.server.fake.load(soundScenario);
    this.engine.answers = { ...this.answers, "/info": { ...info, SystemTime: new Date().toISOString() } };
    const folder = await sampleCampaign();
    this.folder = folder;
    await this.configure({});
    return () => rm(folder, { recursive: true });
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.engine.close();
  }

  configure({
    models,
    evaluation,
    judge,
    sandbox,
    authoring,
    embedding,
    ...rest
  }: Changes & Partial<RawConfig>): Promise<void> {
    const config: RawConfig = {
      name: "sample",
      skills: ["skills/sample"],
      models: { baseUrl: this.server.baseURL, ...models },
      evaluation: { models: [tested], budgetUsd: 5, ...evaluation },
      judge: { models: judges, ...judge },
      sandbox: { socket: this.engine.socket, ...sandbox },
      authoring: { model: "echo/author", ...authoring },
      embedding: { ...embedding },
      ...rest,
    };
    return writeConfig(this.folder, config);
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFile(join(this.folder, path), text);
  }

  async doctor(...args: readonly string[]): Promise<Told> {
    const io = capturedIo(this.folder, { env: { OPENROUTER_API_KEY: doctorKey } });
    const code = await main(["doctor", "--json", ...args], io);
    expect(io.stdout() + io.stderr()).not.toContain(doctorKey);
    return { code, ...toldSchema.parse(JSON.parse(io.stdout())) };
  }
}

/** One thing that is wrong, and the row that says it. */
export type Fault = {
  readonly what: string;
  readonly change?: Changes | ((rig: DoctorRig) => Changes);
  readonly scenario?: FakeScenario;
  readonly answers?: FakeEngine["answers"];
  readonly prepare?: (rig: DoctorRig) => Promise<void>;
  readonly row: {
    /** What its name begins with. */
    readonly check: string;
    readonly state: "warn" | "fail";
    readonly found: RegExp;
    readonly mend: RegExp;
  };
  readonly code: 0 | 2 | 3;
};

/** Makes the fault and holds the command against it. */
export async function expectFault(fault: Fault, rig: DoctorRig): Promise<void> {
  const { change = {}, row } = fault;
  await rig.configure(typeof change === "function" ? change(rig) : change);
  if (fault.scenario !== undefined) rig.server.fake.load(fault.scenario);
  rig.engine.answers = { ...rig.engine.answers, ...fault.answers };
  await fault.prepare?.(rig);
  const told = await rig.doctor();
  const words = JSON.stringify(troubled(told), null, 1);
  const fitting = troubled(told).find(
    ({ check, state, found, mend }) =>
      check.startsWith(row.check) &&
      state === row.state &&
      row.found.test(found) &&
      row.mend.test(mend ?? ""),
  );
  expect(fitting, words).toBeDefined();
  expect(told.code, words).toBe(fault.code);
  // One fault hides nothing: the machine and the campaign's file are looked at all the same.
  for (const check of ["node", "clock", "disk at out", "campaign file"]) {
    expect(told.rows.find((one) => one.check === check)?.state).toBe("ok");
  }
}

const info = {
  ...{ KernelVersion: "6.1.0", CgroupVersion: "2", Driver: "overlay2", MemTotal: 8 * 1024 ** 3, NCPU: 4 },
  ...{ MemoryLimit: true, CpuCfsQuota: true, PidsLimit: true, DockerRootDir: "/" },
};

function soundEngine(recipe: string): FakeEngine["answers"] {
  return {
    "/_ping": "OK",
    "/version": { Version: "27.0.1", ApiVersion: "1.46" },
    [`/images/${tagOf(recipe)}/json`]: {
      Id: `sha256:${"0".repeat(64)}`,
      Config: { Labels: { "skillproof.recipe": recipe, "skillproof.base": "packages" } },
    },
    "/images/json": [],
    "/containers/json": [],
    "/volumes": { Volumes: [] },
  };
}
