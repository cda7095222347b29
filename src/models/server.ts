import OpenAI from "openai";
import { UserError } from "../errors.ts";
import { bufferingFetch } from "./buffering-fetch.ts";

/** `openrouter` takes routing fields that strict servers refuse. */
export type Dialect = "openrouter" | "openai";

export type ServerSettings = {
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
  /** Environment variable that holds the key. Default OPENROUTER_API_KEY. */
  readonly keyVariable?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: by the host. */
  readonly dialect?: Dialect;
  /** Total time of one request, body included. Default 600 s. */
  readonly deadlineMs?: number;
};

/** An OpenAI-compatible server, ready to be asked. */
export type Server = {
  readonly client: OpenAI;
  readonly baseUrl: string;
  readonly dialect: Dialect;
  readonly keyVariable: string;
  /** For taking it out of messages; never to be written anywhere. */
  readonly key: string;
  readonly deadlineMs: number;
};

export const defaultKeyVariable = "OPENROUTER_API_KEY";
const defaultDeadlineMs = 600_000;

/** Opens nothing yet. Throws `UserError` for a bad address, and for a missing key unless the server is this machine. */
export function modelServer(settings: ServerSettings): Server {
  const { baseUrl, keyVariable = defaultKeyVariable, deadlineMs = defaultDeadlineMs } = settings;
  const host = hostOf(baseUrl);
  const key = settings.env[keyVariable]?.trim() || (isLoopback(host) ? "no-key-needed" : undefined);
  if (key === undefined) {
    throw new UserError(
      `${keyVariable} is not set: ${baseUrl} needs a key. Put ${keyVariable}=… into .env or the environment ` +
        `(any word, if this server asks for none).`,
    );
  }
  const isOpenRouter = host === "openrouter.ai" || host.endsWith(".openrouter.ai");
  const dialect = settings.dialect ?? (isOpenRouter ? "openrouter" : "openai");
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: key,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: deadlineMs,
    fetch: bufferingFetch(),
    logLevel: "off",
    defaultHeaders: dialect === "openrouter" ? openRouterHeaders : {},
  });
  return { client, baseUrl, dialect, keyVariable, key, deadlineMs };
}

/** A cached response would make two trials one. */
const openRouterHeaders = { "X-OpenRouter-Title": "skillproof", "X-OpenRouter-Cache": "false" };

function hostOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new UserError(
      `baseUrl "${baseUrl}" is not an http address. Write it like https://openrouter.ai/api/v1.`,
    );
  }
  return new URL(baseUrl).hostname;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || /^127\.|^\[::1\]$/.test(host);
}
