import { readFile } from "node:fs/promises";
import type { Agent } from "../agents/port.ts";
import { toolLoopAgent } from "../agents/tool-loop.ts";
import type { Endpoint } from "../artefacts/endpoint.ts";
import type { RequestRole } from "../artefacts/ledger.ts";
import type { Config } from "../config.ts";
import type { Embedder } from "../embed/port.ts";
import { UserError } from "../errors.ts";
import type { LaneReading, Listen } from "../events.ts";
import { sha256 } from "../hash.ts";
import { describeEndpoint } from "../models/choose-endpoint.ts";
import { settleGenerations } from "../models/generation.ts";
import { Lane } from "../models/lane.ts";
import { openAiChatModel } from "../models/openai-chat.ts";
import { openAiEmbedder } from "../models/openai-embedder.ts";
import type { ChatModel, Ledger } from "../models/port.ts";
import { preflight } from "../models/preflight.ts";
import { perToken } from "../models/prices.ts";
import { needsWindowProbe, probeWindow } from "../models/probe-window.ts";
import { standInJudge, standInModel } from "../models/stand-in.ts";
import { loadStandInPolicy } from "../models/stand-in-policy.ts";
import type { OpenLedger } from "../store/ledger.ts";
import type { Io, Loaded } from "./io.ts";
import { ModelServers } from "./model-servers.ts";

/** Ids that begin with this are stand-ins: a policy file, no network, no key. */
export const standInPrefix = "stand-in/";

/** Model ids by the role they play. */
export type Cast = Partial<Readonly<Record<RequestRole, readonly string[]>>>;

/** Attempts under way at once at one endpoint, unless the YAML says otherwise; the server often allows fewer. */
const usualConcurrency = 16;

/**
 * The models of one command. Nothing is asked before `findEndpoints`, and neither key nor server is needed where only
 * stand-ins take part.
 */
export class ModelAccess {
  private readonly config: Config;
  private readonly servers: ModelServers;
  private readonly listen: Listen;
  private readonly signal: AbortSignal;
  private readonly lanes = new Map<string, Lane>();
  private readonly policy = once(() => this.loadPolicy());
  private limitRemainingUsd: number | null = null;

  constructor(loaded: Loaded, listen: Listen, { drain }: Pick<Io, "drain">) {
    this.config = loaded.config;
    this.servers = new ModelServers(loaded, drain);
    this.listen = listen;
    this.signal = drain;
  }

  /** Hash of the stand-in policy; null when none is named. */
  async policyHash(): Promise<string | null> {
    const { standIn } = this.config.models;
    return standIn === undefined ? null : sha256(await readFile(standIn));
  }

  /** Hash of the recording that answers instead of a server; null without one. */
  replayHash(): Promise<string | null> {
    return this.servers.replayHash();
  }

  /** What may still be spent with the key, as the server told it; null: no limit, or not told. */
  get keyLimitUsd(): number | null {
    return this.limitRemainingUsd;
  }

  /**
   * Finds where the requests of `cast` go, from the server's lists; costs nothing. What cannot work is found here.
   * Throws `UserError`.
   */
  async findEndpoints(cast: Cast, neededTokens: number): Promise<readonly Endpoint[]> {
    await this.requireStandIns(cast);
    const models = Object.entries(cast).flatMap(([role, named]) =>
      named
        .filter((id) => !isStandIn(id))
        .map((id) => ({ id, role: role as RequestRole, ...this.fixed(id) })),
    );
    if (!isFilled(models)) return [];
    const { signal } = this;
    const { clock } = this.servers;
    const server = await this.servers.open("agent", await this.servers.dialectFor(models[0].id));
    const found = await preflight({ server, models, neededTokens, clock, signal });
    for (const endpoint of found.endpoints) {
      this.listen({ kind: "stage", stage: "endpoint", words: describeEndpoint(endpoint) });
    }
    for (const words of found.warnings) this.listen({ kind: "warning", words });
    this.limitRemainingUsd = found.limitRemainingUsd;
    return found.endpoints;
  }

  /** What a campaign whose endpoints are known needs: keys and policies. Throws `UserError`. */
  async requireAccess(cast: Cast): Promise<void> {
    const ids = Object.values(cast).flat();
    await this.requireStandIns(cast);
    if (!ids.every(isStandIn)) await this.servers.open("agent");
  }

  /**
   * Tries, where a server does not tell its window, whether a prompt of `tokens` arrives whole. This is paid for. Throws
   * `UserError` when it was cut.
   */
  async probeWindows(endpoints: readonly Endpoint[], tokens: number, ledger: Ledger): Promise<void> {
    for (const endpoint of endpoints.filter(needsWindowProbe)) {
      const model = await this.chat(endpoint.model, "probe", endpoints, ledger);
      const { baseUrl } = endpoint;
      const probed = await probeWindow(model, { expectedTokens: tokens, baseUrl, signal: this.signal });
      if (probed.kind === "unknown") this.listen({ kind: "warning", words: probed.warning });
    }
  }

  async agents(
    ids: readonly string[],
    endpoints: readonly Endpoint[],
    ledger: Ledger,
  ): Promise<ReadonlyMap<string, Agent>> {
    const models = await Promise.all(ids.map((id) => this.chat(id, "agent", endpoints, ledger)));
    return new Map(models.map((model) => [model.id, toolLoopAgent(model)]));
  }

  judges(
    ids: readonly string[],
    endpoints: readonly Endpoint[],
    ledger: Ledger,
  ): Promise<readonly ChatModel[]> {
    return Promise.all(ids.map((id) => this.chat(id, "judge", endpoints, ledger)));
  }

  /** One model in one role. Throws when `endpoints` does not have it, which is a bug of ours. */
  async chat(
    id: string,
    role: RequestRole,
    endpoints: readonly Endpoint[],
    ledger: Ledger,
  ): Promise<ChatModel> {
    if (isStandIn(id)) {
      return role === "judge" ? standInJudge(id, await this.policy()) : standInModel(id, await this.policy());
    }
    const endpoint = endpoints.find(({ model }) => model === id);
    if (endpoint === undefined) throw new Error(`no endpoint was found for ${id}`);
    const server = await this.servers.open(role, endpoint.dialect);
    const { temperature, reasoning } = this.config.models.settings[id] ?? {};
    // Judges answer one question with one word: little thought is enough, where the endpoint lets us say so.
    const thought = reasoning ?? (role === "judge" ? { effort: "low" } : undefined);
    const settings = {
      ...(temperature === undefined ? {} : { temperature }),
      ...(thought === undefined ? {} : { reasoning: thought }),
    };
    return openAiChatModel({
      server,
      endpoint,
      role,
      settings,
      lane: this.laneOf(endpoint),
      ledger,
      clock: this.servers.clock,
    });
  }

  /** What turns texts into vectors, at the server that `embedding` names. Throws `UserError`. */
  async embedder(ledger: Ledger): Promise<Embedder> {
    const { model } = this.config.embedding;
    if (model === undefined) throw new UserError("embedding.model: not set. Name the embedding model.");
    const server = await this.servers.openEmbedding();
    const { prices } = this.fixed(model);
    const known = prices === undefined ? null : perToken(prices);
    return openAiEmbedder({ server, model, prices: known, ledger, clock: this.servers.clock });
  }

  /** Looks up, after the last request, what attempts of unknown cost did cost. */
  async settle(ledger: OpenLedger, endpoints: readonly Endpoint[]): Promise<void> {
    const unsettled = ledger.unsettled();
    // Whoever wants to stop does not wait for figures; the next start asks for them.
    if (unsettled.length > 0 && !this.signal.aborted) {
      const settling = await settleGenerations(unsettled, {
        server: await this.servers.open("agent", endpoints[0]?.dialect),
        pricesOf: ({ model }) => endpoints.find((endpoint) => endpoint.model === model)?.prices ?? null,
        settle: (found) => {
          ledger.settle(found);
        },
        clock: this.servers.clock,
        signal: this.signal,
      });
      if (settling.trouble !== null) this.listen({ kind: "warning", words: settling.trouble });
    }
    const { drifted } = this.servers;
    if (drifted > 0) {
      const words = `${drifted} request(s) of this replay were not the recorded ones: a tool answered otherwise`;
      this.listen({ kind: "warning", words });
    }
  }

  /** How the ways to the models stand, in the order in which they were first used. */
  laneReadings(): readonly LaneReading[] {
    return [...this.lanes.values()].map((lane) => lane.read());
  }

  private fixed(id: string): Pick<Config["models"]["settings"][string], "pin" | "parameters" | "prices"> {
    const { pin, parameters, prices } = this.config.models.settings[id] ?? {};
    return {
      ...(pin === undefined ? {} : { pin }),
      ...(parameters === undefined ? {} : { parameters }),
      ...(prices === undefined ? {} : { prices }),
    };
  }

  private laneOf({ model, tag }: Endpoint): Lane {
    const name = JSON.stringify([model, tag]);
    const known = this.lanes.get(name);
    if (known !== undefined) return known;
    const concurrency = this.config.models.settings[model]?.concurrency ?? usualConcurrency;
    const lane = new Lane({
      model,
      tag,
      concurrency,
      clock: this.servers.clock,
      listen: ({ kind: change, lane: words, words: what }) => {
        this.listen({ kind: "lane", change, words: `${words}: ${what}` });
      },
    });
    this.lanes.set(name, lane);
    return lane;
  }

  /** Throws `UserError` for one that the policy does not have. Judges may have any name. */
  private async requireStandIns(cast: Cast): Promise<void> {
    for (const [role, ids = []] of Object.entries(cast)) {
      for (const id of ids.filter(isStandIn)) {
        const policy = await this.policy();
        if (role !== "judge") standInModel(id, policy);
      }
    }
  }

  private loadPolicy(): ReturnType<typeof loadStandInPolicy> {
    const { standIn } = this.config.models;
    if (standIn === undefined) {
      throw new UserError(`models.standIn: not set, but a model id begins with ${standInPrefix}.`);
    }
    return loadStandInPolicy(standIn);
  }
}

function isFilled<T>(values: readonly T[]): values is readonly [T, ...T[]] {
  return values.length > 0;
}

export function isStandIn(id: string): boolean {
  return id.startsWith(standInPrefix);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
