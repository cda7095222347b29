import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RequestRole } from "../artefacts/ledger.ts";
import type { Config } from "../config.ts";
import { UserError } from "../errors.ts";
import { sha256 } from "../hash.ts";
import { bufferingFetch, type Fetch } from "../models/buffering-fetch.ts";
import { type Clock, systemClock } from "../models/clock.ts";
import { readEndpoints } from "../models/endpoints.ts";
import { recordingFetch, type Replay, replayingFetch } from "../models/recording.ts";
import { type Dialect, modelServer, type Server } from "../models/server.ts";
import { ExchangeFile, readExchanges } from "../store/exchanges.ts";
import type { Loaded } from "./io.ts";

const exchangesFile = "exchanges.jsonl";

/** The servers of one command: the network, with a recorder around it, or a recording in its place. */
export class ModelServers {
  private readonly config: Config;
  private readonly env: Loaded["env"];
  private readonly signal: AbortSignal;
  private readonly servers = new Map<string, Promise<Server>>();
  private readonly fetch = once(() => this.openFetch());
  private replay: Replay | null = null;

  constructor({ config, env }: Loaded, signal: AbortSignal) {
    this.config = config;
    this.env = env;
    this.signal = signal;
  }

  /** How time passes for the models: a replay waits for nothing. */
  get clock(): Clock {
    return this.config.models.replay === undefined ? systemClock : hurriedClock;
  }

  /** Requests of a replay that were not the recorded ones. */
  get drifted(): number {
    return this.replay?.count().drifted ?? 0;
  }

  /** Hash of the recording that answers instead of a server; null without one. */
  async replayHash(): Promise<string | null> {
    const { replay } = this.config.models;
    if (replay === undefined) return null;
    const file = join(replay, exchangesFile);
    await readExchanges(file);
    return sha256(await readFile(file));
  }

  /**
   * What the server speaks. Where neither the YAML nor the host says it, a server that lists the endpoints of a model as
   * OpenRouter does is taken for one that routes as it does: unpinned, it would spread a trial over them.
   */
  async dialectFor(id: string): Promise<Dialect> {
    const server = await this.open("agent");
    if (server.dialect === "openrouter" || this.config.models.dialect !== undefined) return server.dialect;
    const { clock, signal } = this;
    const listed = await readEndpoints(server, id, { clock, signal });
    return listed === null || listed.length === 0 ? server.dialect : "openrouter";
  }

  /** Judges answer sooner than agents, so that they have a deadline of their own. Default dialect: by YAML or host. */
  open(role: RequestRole, dialect = this.config.models.dialect): Promise<Server> {
    const { models, judge } = this.config;
    const seconds = role === "judge" ? judge.deadlineSeconds : models.deadlineSeconds;
    const name = JSON.stringify([dialect, seconds]);
    const known = this.servers.get(name) ?? this.make(dialect, seconds);
    this.servers.set(name, known);
    return known;
  }

  private async make(dialect: Dialect | undefined, deadlineSeconds: number | undefined): Promise<Server> {
    const { baseUrl, apiKeyEnv, replay } = this.config.models;
    return modelServer({
      baseUrl,
      keyVariable: apiKeyEnv,
      env: replay === undefined ? this.env : { [apiKeyEnv]: "none is needed for a replay" },
      fetch: await this.fetch(),
      ...(deadlineSeconds === undefined ? {} : { deadlineMs: deadlineSeconds * 1000 }),
      ...(dialect === undefined ? {} : { dialect }),
    });
  }

  private async openFetch(): Promise<Fetch> {
    const { record, replay, apiKeyEnv } = this.config.models;
    const baseUrl = this.config.models.baseUrl.replace(/\/+$/, "");
    if (record !== undefined && replay !== undefined) {
      throw new UserError("models.record: cannot be used with models.replay. Leave one out.");
    }
    if (replay !== undefined) {
      this.replay = replayingFetch(await readExchanges(join(replay, exchangesFile)), baseUrl);
      return this.replay.fetch;
    }
    if (record === undefined) return bufferingFetch();
    const exchanges = new ExchangeFile(join(record, exchangesFile));
    // Nothing to take out where no key is sent.
    const secret = this.env[apiKeyEnv]?.trim() || "no key was set";
    return recordingFetch(bufferingFetch(), {
      baseUrl,
      secret,
      append: (exchange) => exchanges.append(exchange),
    });
  }
}

let skippedMs = 0;
/** Waits are skipped, and time goes on as if they had passed. */
const hurriedClock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + skippedMs,
  async sleep(ms, signal) {
    await systemClock.sleep(0, signal);
    skippedMs += ms;
  },
};

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
