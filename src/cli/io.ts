import type { Command } from "commander";
import { parseEnv } from "node:util";
import { dirname, join, resolve } from "node:path";
import { type Config, type ConfigOverrides } from "../config.ts";
import { loadConfig } from "../config-load.ts";
import type { Listen } from "../events.ts";
import { readIfThere } from "../store/artefact.ts";
import { lineOf } from "./progress.ts";
import type { Screen } from "./screen/port.ts";

/** The process as the commands see it. */
export type Io = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Puts a question to the person at the terminal; null when there is none. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
  /** Aborts at the first request to stop: nothing new is begun, what is under way comes to its end. */
  readonly drain: AbortSignal;
  /** Aborts at the second: what is under way ends too. */
  readonly signal: AbortSignal;
  /** Where progress is shown; without it, progress is plain lines on `err`. */
  readonly screen?: Screen;
};

/**
 * A command adds itself to the program and says through `done` how it ended; `stopped` where a request to stop is the
 * way it is meant to end.
 */
export type AddCommand = (
  program: Command,
  io: Io,
  done: (code: ExitCode, how?: "stopped" | null) => void,
) => void;

/** 0 done · 1 done, and something asked to hold does not · 2 fix something · 3 infrastructure · 4 budget · 5 cannot tell · 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

export const defaultConfigFile = "skillproof.config.yaml";

export type Loaded = {
  readonly config: Config;
  /** The environment with the `.env` beside the campaign's file under it. */
  readonly env: Io["env"];
};

/** Reads the campaign's file and the `.env` beside it; what the environment already has wins. */
export async function loadCampaignFile(
  io: Io,
  file: string | undefined,
  overrides: ConfigOverrides,
): Promise<Loaded> {
  const path = resolve(io.cwd, file ?? defaultConfigFile);
  const config = await loadConfig(path, overrides);
  const dotenv = await readIfThere(join(dirname(path), ".env"));
  return { config, env: { ...(dotenv === undefined ? {} : parseEnv(dotenv)), ...io.env } };
}

/** Progress on the screen, or on stderr, one plain line for an event. `spent` is asked for as trials end. */
export function listenOn(
  { err, screen }: Pick<Io, "err" | "screen">,
  spent: () => string | null = () => null,
): Listen {
  return (event) => {
    if (screen !== undefined) {
      screen.show(event);
      return;
    }
    const line = lineOf(event, spent());
    if (line !== null) err(`${line}\n`);
  };
}

/** `a,b, c` as given to --models and the like. */
export function commaList(text: string): string[] {
  return text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}
