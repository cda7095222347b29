import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CheckName, Verification } from "../artefacts/verification.ts";
import { canonicalJson, hashJson, sha256 } from "../hash.ts";
import { measureFiles } from "../store/file-hash.ts";
import { verifyCampaign } from "../verify-campaign.ts";
import { campaignIn, evalIn } from "./eval-command.ts";
import { startFake } from "./fake-openrouter.mjs";
import { obedientModel, sampleCampaign } from "./sample-campaign.ts";

/** The folder of one trial of an honest campaign, one that failed. */
export const failedTrial = "trials/sample/answer/acme%2Fcoder/without_skill/1";

/** A campaign of two trials in each of two arms that a server on this machine answered. */
export async function honestCampaign(): Promise<{ readonly folder: string; readonly campaign: string }> {
  // Where no cost is told, it is price × tokens.
  const rules = obedientModel().rules.map((rule) => ({ ...rule, do: { ...rule.do, usage: "no_cost" } }));
  const endpoints = [{ provider: "Alpha", tag: "alpha/fp8", quantization: "fp8" }];
  const server = await startFake({ scenario: { models: { "acme/coder": { rules, endpoints } } } });
  try {
    const prices = { input: 2, output: 8 };
    const folder = await sampleCampaign({
      models: { baseUrl: server.baseURL, dialect: "openai", settings: { "acme/coder": { prices } } },
      evaluation: { models: ["acme/coder"], trials: 2 },
    });
    const { code, stderr } = await evalIn(folder);
    if (code !== 0) throw new Error(stderr);
    return { folder, campaign: await campaignIn(folder) };
  } finally {
    await server.close();
  }
}

/** With the skills and benchmarks beside `out`. */
export function verifyBeside(campaign: string, publishedHead: string | null = null): Promise<Verification> {
  const root = join(campaign, "../..");
  return verifyCampaign(campaign, {
    publishedHead,
    placesOf: (skill) => ({
      folder: join(root, "skills", skill),
      benchmarks: join(root, "benchmarks", skill),
    }),
  });
}

/** Names of the checks that found something, each once. */
export function checksOf({ findings }: Verification): CheckName[] {
  return [...new Set(findings.map(({ check }) => check))];
}

export function wordsOf({ checks }: Verification, name: CheckName): string {
  return checks.find((check) => check.name === name)?.words ?? "";
}

/** Hashes of all files below a folder, by path. */
export async function everything(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hashes = files.sort().map(async (file) => [file, sha256(await readFile(file))] as const);
  return Object.fromEntries(await Promise.all(hashes));
}

/** A line of evidence, as whoever changes it sees it. */
export type Note = {
  readonly kind: string;
  readonly trial?: string;
  readonly canary?: string;
  readonly hash?: string;
  readonly files?: Readonly<Record<string, unknown>>;
};

/** Somebody at work on a campaign's folder. Paths are below it. */
export class Tamperer {
  private readonly campaign: string;

  constructor(campaign: string) {
    this.campaign = campaign;
  }

  /** Takes the hashes of a line from what lies on disk now, as its writer did. */
  private async hashesNow(note: Note): Promise<Note> {
    const jsonOf = async (path: string): Promise<string> =>
      hashJson(JSON.parse(await readFile(join(this.campaign, path), "utf8")));
    switch (note.kind) {
      case "plan":
        return { ...note, hash: await jsonOf("plan.json") };
      case "canary":
        return { ...note, hash: await jsonOf(`canaries/${note.canary ?? ""}.json`) };
      case "settled":
        return { ...note, files: await measureFiles(this.campaign, Object.keys(note.files ?? {})) };
      default: {
        const folder = `trials/${note.trial ?? ""}`;
        const files = Object.keys(note.files ?? {}).map(async (name) => {
          return [name, sha256(await readFile(join(this.campaign, folder, name)))] as const;
        });
        const hash = await jsonOf(`${folder}/${note.kind}.json`);
        return { ...note, hash, files: Object.fromEntries(await Promise.all(files)) };
      }
    }
  }

  private async notes(): Promise<(Note & { readonly previous: string | null })[]> {
    const text = await readFile(join(this.campaign, "evidence.jsonl"), "utf8");
    const lines = text.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
    return lines.map((line) => JSON.parse(line) as Note & { readonly previous: string | null });
  }

  private writeNotes(lines: readonly Note[]): Promise<void> {
    return writeFile(
      join(this.campaign, "evidence.jsonl"),
      lines.map((line) => `${canonicalJson(line)}\n`).join(""),
    );
  }

  async dropLines(isDropped: (note: Note) => boolean): Promise<void> {
    await this.writeNotes((await this.notes()).filter((note) => !isDropped(note)));
  }

  /** Only the lines of what was touched; those after them name another line than the one before them. */
  async rewriteLines(touches: (note: Note) => boolean): Promise<void> {
    const lines: Note[] = [];
    for (const note of await this.notes()) lines.push(touches(note) ? await this.hashesNow(note) : note);
    await this.writeNotes(lines);
  }

  /** Every line from the first one on, by what lies on disk: nothing in the folder tells it from an honest chain. */
  async rewriteChain(): Promise<void> {
    const lines: Note[] = [];
    for (const note of await this.notes()) {
      const last = lines.at(-1);
      const previous = last === undefined ? null : sha256(canonicalJson(last));
      lines.push({ ...(await this.hashesNow(note)), previous } as Note);
    }
    await this.writeNotes(lines);
  }

  /** Throws when that changes nothing. */
  async edit(path: string, from: string | RegExp, to: string): Promise<void> {
    const file = join(this.campaign, path);
    const before = await readFile(file, "utf8");
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${path} holds nothing like ${String(from)}`);
    await writeFile(file, after);
  }

  async editJson(
    path: string,
    change: (value: Record<string, unknown>) => Record<string, unknown>,
  ): Promise<void> {
    const file = join(this.campaign, path);
    const value = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
    await writeFile(file, `${JSON.stringify(change(value), null, 2)}\n`);
  }

  async put(path: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(join(this.campaign, path)), { recursive: true });
    await writeFile(join(this.campaign, path), content);
  }

  async folderAt(path: string): Promise<void> {
    await rm(join(this.campaign, path), { recursive: true, force: true });
    await mkdir(join(this.campaign, path), { recursive: true });
  }
}
