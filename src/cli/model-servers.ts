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

type Address = { readonly baseUrl: string; readonly apiKeyEnv: string };
type Access = {
  readonly fetch: Fetch;
  readonly dialect: Dialect | undefined;
  readonly deadlineSeconds: number | undefined;
};

/** The servers of one command: the network, with a recorder around it, or a recording in its place. */
export class ModelServers {
  private readonly config: Config;
  private readonly env: Loaded["env"];
  private readonly signal: AbortSignal;
  private readonly servers = new Map<string, Promise<Server>>();
  private readonly fetch = once(() => this.openFetch(this.config.models));
  private readonly recording: ExchangeFile | null;
  private readonly replays: Replay[] = [];

  constructor({ config, env }: Loaded, signal: AbortSignal) {
    const { record, replay, apiKeyEnv } = config.models;
    const noKey = "none is needed for a replay";
    this.config = config;
    this.env = replay === undefined ? env : { [apiKeyEnv]: noKey, [config.embedding.apiKeyEnv]: noKey };
    this.signal = signal;
    this.recording = record === undefined ? null : new ExchangeFile(join(record, exchangesFile));
  }

  /** How time passes for the models: a replay waits for nothing. */
  get clock(): Clock {
    return this.config.models.replay === undefined ? systemClock : hurriedClock;
  }

  /** Requests of a replay that were not the recorded ones. */
  get drifted(): number {
    return this.replays.reduce((sum, { count }) => sum + count().drifted, 0);
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

  /** The server of the vectors. It may be another one, and a recording holds its answers too. */
  async openEmbedding(): Promise<Server> {
    const { embedding, models } = this.config;
    const { baseUrl = models.baseUrl, apiKeyEnv } = embedding;
    const { dialect, deadlineSeconds } = models;
    const fetch = await this.openFetch({ baseUrl, apiKeyEnv });
    return this.serverAt({ baseUrl, apiKeyEnv }, { fetch, dialect, deadlineSeconds });
  }

  private async make(dialect: Dialect | undefined, deadlineSeconds: number | undefined): Promise<Server> {
    return this.serverAt(this.config.models, { fetch: await this.fetch(), dialect, deadlineSeconds });
  }

  private serverAt({ baseUrl, apiKeyEnv }: Address, { fetch, dialect, deadlineSeconds }: Access): Server {
    return modelServer({
      baseUrl,
      keyVariable: apiKeyEnv,
      env: this.env,
      fetch,
      ...(deadlineSeconds === undefined ? {} : { deadlineMs: deadlineSeconds * 1000 }),
      ...(dialect === undefined ? {} : { dialect }),
    });
  }

  private async openFetch(address: Address): Promise<Fetch> {
    const { replay } = this.config.models;
    const { recording } = this;
    const baseUrl = address.baseUrl.replace(/\/+$/, "");
    if (recording !== null && replay !== undefined) {
      throw new UserError("models.record: cannot be used with models.replay. Leave one out.");
    }
    if (replay !== undefined) {
      const replayed = replayingFetch(await readExchanges(join(replay, exchangesFile)), baseUrl);
      this.replays.push(replayed);
      return replayed.fetch;
    }
    if (recording === null) return bufferingFetch();
    // Nothing to take out where no key is sent.
    const secret = this.env[address.apiKeyEnv]?.trim() || "no key was set";
    return recordingFetch(bufferingFetch(), {
      baseUrl,
      secret,
      append: (exchange) => recording.append(exchange),
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
