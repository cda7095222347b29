import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { FakeScenario } from "./fake-openrouter.mjs";

const firstLineSchema = z.object({ port: z.number(), baseURL: z.string() });
const statsSchema = z.looseObject({ requests: z.number(), in_flight: z.number(), max_in_flight: z.number() });

export type FakeProcess = {
  /** What a client is given. */
  readonly baseURL: string;
  load(scenario: FakeScenario): Promise<void>;
  stats(): Promise<z.infer<typeof statsSchema>>;
  /** The log holds every body: a long stream of requests would fill that process. */
  clearLog(): Promise<void>;
  close(): Promise<void>;
};

/** The fake server in a process of its own, so that what it takes of time and memory is not counted as ours. */
export async function startFakeProcess(): Promise<FakeProcess> {
  const file = join(import.meta.dirname, "fake-openrouter.mjs");
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { port, baseURL } = firstLineSchema.parse(JSON.parse(line));
  const control = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/__${path}`, init);
    if (!response.ok) throw new Error(`the fake refused ${path}: ${await response.text()}`);
    return response.json();
  };
  return {
    baseURL,
    async load(scenario) {
      await control("scenario", { method: "POST", body: JSON.stringify(scenario) });
    },
    stats: async () => statsSchema.parse(await control("stats")),
    async clearLog() {
      await control("log", { method: "DELETE" });
    },
    async close() {
      const closed = once(child, "close");
      child.kill();
      await closed;
    },
  };
}
