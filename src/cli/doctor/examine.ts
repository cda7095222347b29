import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import type { Config } from "../../config.ts";
import { findDeadOutput, findDeadTemporary } from "../../store/leftovers.ts";
import { defaultConfigFile, type Io, type Loaded, loadCampaignFile } from "../io.ts";
import { shellWord } from "../shell-word.ts";
import { type EngineLook, type EnginePlace, enginePlaces } from "../wire-doctor.ts";
import { living } from "../wire-sandbox.ts";
import { campaignChecks } from "./campaign-checks.ts";
import type { Place } from "./campaign-rows.ts";
import { engineRows, imageRow, leftoversRow } from "./engine-rows.ts";
import { clockRow, diskNeeds, diskRow, engineClockRow, freeBytes, nodeRow } from "./machine-rows.ts";
import { checked, ok, type Row, together, tried, warn } from "./row.ts";

/**
 * Looks at everything at once; one check that fails or stays silent hides no other. `file`: the campaign's, as the user
 * named it. Throws only when the user stops it.
 */
export async function examine(file: string | undefined, io: Io): Promise<readonly Row[]> {
  const { loaded, rows } = await readCampaign(file, io);
  const option = file === undefined ? "" : ` --config ${shellWord(file)}`;
  const place: Place = { signal: io.signal, cwd: io.cwd, option };
  const config = loaded?.config ?? null;
  const [machine, engines, campaign] = await Promise.all([
    machineChecks(config, resolve(io.cwd, file ?? defaultConfigFile), place),
    engineChecks(config, place),
    loaded === null ? [] : campaignChecks(loaded, place, io),
  ]);
  return [...machine, ...engines, ...rows, ...campaign].map((row) => withoutKeys(row, loaded));
}

type Read = { readonly loaded: Loaded | null; readonly rows: readonly Row[] };

async function readCampaign(file: string | undefined, io: Io): Promise<Read> {
  const check = "campaign file";
  const unchecked = "not checked without a campaign file: skills, benchmarks, arms, keys, models, budget";
  if (file === undefined && !existsSync(resolve(io.cwd, defaultConfigFile))) {
    return {
      loaded: null,
      rows: [warn(check, `no ${defaultConfigFile} here; ${unchecked}`, "skillproof init")],
    };
  }
  const name = file ?? defaultConfigFile;
  const mend = existsSync(resolve(io.cwd, name))
    ? `\${EDITOR:-vi} ${shellWord(name)}`
    : `skillproof init --config ${shellWord(name)}`;
  const read = await tried(check, () => loadCampaignFile(io, file, {}), { signal: io.signal, mend });
  if (read.kind === "row") return { loaded: null, rows: [read.row, warn("campaign", unchecked)] };
  return { loaded: read.value, rows: [ok(check, `${name} loads: campaign ${read.value.config.name}`)] };
}

/** No row is to show a key, wherever its words come from. */
function withoutKeys(row: Row, loaded: Loaded | null): Row {
  if (loaded === null) return row;
  const { models, embedding } = loaded.config;
  const keys = [models.apiKeyEnv, embedding.apiKeyEnv].flatMap((name) => loaded.env[name]?.trim() ?? []);
  const clean = (text: string): string =>
    keys.filter((key) => key.length > 7).reduce((words, key) => words.replaceAll(key, "[key]"), text);
  return { ...row, found: clean(row.found), mend: row.mend === null ? null : clean(row.mend) };
}

const packageFile = new URL("../../../package.json", import.meta.url);
const packageSchema = z.object({ engines: z.object({ node: z.string() }) });

function machineChecks(
  config: Config | null,
  file: string,
  { signal, cwd, option }: Place,
): Promise<readonly Row[]> {
  const out = config?.out ?? join(cwd, "out");
  const clean = `skillproof clean${option}`;
  return together([
    checked(
      "node",
      async () => {
        const { engines } = packageSchema.parse(JSON.parse(await readFile(packageFile, "utf8")));
        return nodeRow(process.version, engines.node);
      },
      { signal },
    ),
    checked(
      "disk at out",
      async () => diskRow("disk at out", await freeBytes(out), diskNeeds.out, `du -sh ${shellWord(out)}`),
      { signal },
    ),
    checked("clock", async () => clockRow(Date.now(), await newestOf([packageFile, file])), { signal }),
    checked(
      "leftover files",
      async () => {
        const dead = [...(await findDeadOutput(out, living)), ...(await findDeadTemporary(tmpdir(), living))];
        const names = dead.map(({ path }) => path);
        return leftoversRow("leftover files", names, clean);
      },
      { signal, mend: clean },
    ),
  ]);
}

/** When the newest of the files that are there was written. */
async function newestOf(files: readonly (string | URL)[]): Promise<number> {
  const times = await Promise.all(
    files.filter((file) => existsSync(file)).map(async (file) => (await stat(file)).mtimeMs),
  );
  return Math.max(0, ...times);
}

async function engineChecks(config: Config | null, place: Place): Promise<readonly Row[]> {
  const mend = "sandbox: take out socket, or endpoints";
  const places = await tried("engine", () => Promise.resolve(enginePlaces(config)), {
    signal: place.signal,
    mend,
  });
  if (places.kind === "row") return [places.row];
  const several = places.value.length > 1;
  return together(
    places.value.map((engine) =>
      engineCheck(several ? `engine ${engine.address ?? ""}` : "engine", engine, place),
    ),
  );
}

async function engineCheck(
  name: string,
  engine: EnginePlace,
  { signal, option }: Place,
): Promise<readonly Row[]> {
  const isHere = isOnThisMachine(engine.address);
  const start = isHere ? "sudo systemctl start docker" : `docker -H ${shellWord(engine.address ?? "")} info`;
  const look = await tried(name, engine.connect, { signal, mend: start });
  // An engine that does not answer is nobody's mistake yet.
  if (look.kind === "row") return [{ ...look.row, cause: "infrastructure" }];
  return connectedRows(name, engine, look.value, { signal, option, isHere });
}

function connectedRows(
  name: string,
  engine: EnginePlace,
  look: EngineLook,
  { signal, option, isHere }: Pick<Place, "signal" | "option"> & { readonly isHere: boolean },
): Promise<readonly Row[]> {
  const clean = `skillproof clean${option}`;
  const host = engine.address === null ? "docker" : `docker -H ${shellWord(hostOf(engine.address))}`;
  return together([
    checked(
      name,
      async (own) => {
        const facts = await look.facts(own);
        const free =
          isHere && facts.root !== null && existsSync(facts.root) ? await freeBytes(facts.root) : null;
        return [
          ...engineRows(name, facts, engine.needs),
          diskRow(`${name} disk`, free, diskNeeds.engine, `${host} system df`),
          engineClockRow(`${name} clock`, Date.now(), facts.timeMs),
        ];
      },
      { signal, mend: `${host} info` },
    ),
    checked(
      `${name} image`,
      async (own) => {
        const image = await look.image(own);
        const pull = `${host} pull ${image.kind === "unknown_base" ? shellWord(image.image) : ""}`;
        return imageRow(`${name} image`, image, `skillproof image${option}`, pull);
      },
      { signal, mend: `skillproof image${option}` },
    ),
    checked(
      `${name} leftovers`,
      async (own) => leftoversRow(`${name} leftovers`, await look.leftovers(own), clean),
      { signal, mend: clean },
    ),
  ]);
}

function isOnThisMachine(address: string | null): boolean {
  return address === null || address.startsWith("/") || address.startsWith("unix://");
}

function hostOf(address: string): string {
  return address.startsWith("/") ? `unix://${address}` : address;
}
