import type { AgentRecord } from "../../agents/port.ts";
import { runToolLoop } from "../../agents/tool-loop.ts";
import { agentTools } from "../../agents/tools.ts";
import type { AttemptLine } from "../../artefacts/ledger.ts";
import { openAiEmbedder } from "../../models/openai-embedder.ts";
import type { Ledger } from "../../models/port.ts";
import { modelServer } from "../../models/server.ts";
import { openAiChatModel } from "../../models/openai-chat.ts";
import { fakeEndpoint } from "../endpoints.ts";
import { fakeClock } from "../fake-clock.ts";
import { type FakeContainer, fakeContainer } from "../fake-container.ts";
import type { FakeRule, RunningFake } from "../fake-openrouter.mjs";
import type { FaultRow } from "./read-table.ts";

/** Played once, another attempt meets an ordinary server; played for ever, none does. */
export type Mode = "once" | "for ever";

export type PlayedRow = {
  readonly record: AgentRecord;
  readonly container: FakeContainer;
  /** Requests the server saw. */
  readonly requests: number;
  /** Every wait of the client, in ms. */
  readonly waits: readonly number[];
  readonly booked: readonly BookedLine[];
  /** What the server warned of in our requests. */
  readonly warnings: readonly string[];
};

type BookedLine = Parameters<NonNullable<ReturnType<Ledger["reserve"]>>["book"]>[0];

const command = { name: "bash", args: { command: "ls" } };
/** Well above what the slowest answer of a table's row takes, and short enough to wait for three times. */
const deadlineMs = 4000;
const shortDeadlineMs = 300;

/** Lets an agent's loop meet a row's fault at its first or second turn, without a real wait. */
export async function playRow(
  row: FaultRow,
  mode: Mode,
  turn: 1 | 2,
  server: RunningFake,
): Promise<PlayedRow> {
  server.fake.load({ models: { "acme/coder": { rules: rulesFor(row, mode, turn) } } });
  const clock = fakeClock({ now: Date.now(), random: 0.5 });
  const booked: BookedLine[] = [];
  const container = fakeContainer({ files: { "/workspace/a": "", "/workspace/b": "" } });
  const model = openAiChatModel({
    server: modelServer({
      baseUrl: server.baseURL,
      env: {},
      dialect: "openrouter",
      deadlineMs: isStall(row) ? shortDeadlineMs : deadlineMs,
    }),
    endpoint: fakeEndpoint({ baseUrl: server.baseURL }),
    role: "agent",
    ledger: { reserve: () => ({ book: (line) => booked.push(line) }) },
    clock,
  });
  const record = await runToolLoop({
    model,
    tools: agentTools,
    task: { system: "You work in a container.", task: "Do it.", seed: 9, subject: row.id },
    container,
    limits: { turns: 20, outputTokens: 100_000, seconds: 1000, commandSeconds: 60, maxTokensPerTurn: 1024 },
    record: () => undefined,
    now: () => 0,
  });
  const asked = server.fake.log.filter(({ path }) => path.endsWith("/chat/completions"));
  const warnings = asked.flatMap((request) => request.warnings);
  return { record, container, requests: asked.length, waits: clock.waits, booked, warnings };
}

/** Faults in which the server goes silent: only our own deadline ends them. */
function isStall({ play }: FaultRow): boolean {
  const name = play.kind === "do" ? play.value["fault"] : undefined;
  return name === "stall_headers" || name === "stall_body" || name === "endless_padding";
}

function rulesFor({ play }: FaultRow, mode: Mode, turn: 1 | 2): FakeRule[] {
  if (play.kind !== "do") throw new Error("settings are played by playEmbedding");
  const calm: FakeRule = { do: { agent: turn === 1 ? ["Done."] : [[command], "Done."] } };
  const steps = play.value["agent"];
  if (!Array.isArray(steps)) {
    return [
      { turn: turn === 1 ? "1-99" : "2-99", ...(mode === "once" ? { times: 1 } : {}), do: play.value },
      calm,
    ];
  }
  // A step's number is its turn: played for ever, the odd step comes again and again; calls go on to their end.
  const [odd, ...rest] = steps as unknown[];
  const isCall = rest.length > 0 && mode === "for ever" && !comesAgain(odd);
  const forEver: readonly unknown[] = isCall ? steps : [odd];
  const later = turn === 1 ? forEver : [[command], ...forEver];
  if (mode === "for ever") return [{ do: { ...play.value, agent: later } }];
  return [{ turn, times: 1, do: { ...play.value, agent: turn === 1 ? [odd] : [[command], odd] } }, calm];
}

/** A turn without usable calls: the conversation does not get beyond it by itself. */
function comesAgain(step: unknown): boolean {
  if (typeof step === "string" || Array.isArray(step) || step === null) return false;
  const { calls, quirk } = step as { calls?: unknown; quirk?: unknown };
  return calls === undefined || quirk === "finish_calls_without_calls" || quirk === "calls_in_content";
}

export type PlayedEmbedding = {
  /** Null when embedding failed. */
  readonly vectors: readonly (readonly number[] | null)[] | null;
  readonly error: Error | null;
  readonly requests: number;
  readonly waits: readonly number[];
};

/** Embeds three texts at a server with a row's settings; once: they end with the first answer. */
export async function playEmbedding(
  settings: Readonly<Record<string, unknown>>,
  server: RunningFake,
): Promise<PlayedEmbedding> {
  server.fake.load({ models: { "acme/embed": settings } });
  const clock = fakeClock({ now: Date.now(), random: 0.5 });
  const embedder = openAiEmbedder({
    server: modelServer({ baseUrl: server.baseURL, env: {}, dialect: "openrouter", deadlineMs }),
    model: "acme/embed",
    clock,
  });
  const texts = ["ledger export rows", "letters to customers", "check digit of an account"];
  const seen = (): Pick<PlayedEmbedding, "requests" | "waits"> => ({
    requests: server.fake.log.filter(({ path }) => path.endsWith("/embeddings")).length,
    waits: clock.waits,
  });
  try {
    return { vectors: await embedder.embed(texts), error: null, ...seen() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { vectors: null, error, ...seen() };
  }
}

/** Costs that nobody told: they must not pass for nothing. */
export function untold(lines: readonly Pick<AttemptLine, "source">[]): boolean {
  return lines.some(({ source }) => source === "unknown" || source === "estimated");
}
