import OpenAI from "openai";
import { UserError } from "../errors.ts";
import { bufferingFetch, type Fetch } from "./buffering-fetch.ts";

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
  /** Total time of one request, body included. Default 600 s, 1800 s for a server on this machine. */
  readonly deadlineMs?: number;
  /** Default: the network. A recording is laid around it or put in its place. */
  readonly fetch?: Fetch;
};

/** An OpenAI-compatible server, ready to be asked. */
export type Server = {
  readonly client: OpenAI;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly dialect: Dialect;
  readonly keyVariable: string;
  /** For taking it out of messages; never to be written anywhere. */
  readonly key: string;
  readonly deadlineMs: number;
};

export const defaultKeyVariable = "OPENROUTER_API_KEY";
const defaultDeadlineMs = 600_000;
/** A server of one's own may have to load the model first, and has no fast hardware. */
const localDeadlineMs = 1_800_000;

/** Opens nothing yet. Throws `UserError` for a bad address, and for a missing key unless the server is this machine. */
export function modelServer(settings: ServerSettings): Server {
  const { keyVariable = defaultKeyVariable } = settings;
  const baseUrl = settings.baseUrl.replace(/\/+$/, "");
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
  const usualDeadlineMs = dialect === "openai" && isLoopback(host) ? localDeadlineMs : defaultDeadlineMs;
  const { deadlineMs = usualDeadlineMs, fetch = bufferingFetch() } = settings;
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: key,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: deadlineMs,
    fetch,
    logLevel: "off",
    defaultHeaders: dialect === "openrouter" ? openRouterHeaders : {},
  });
  return { client, baseUrl, dialect, keyVariable, key, deadlineMs };
}

/** Whether the address ends as those of APIs do: in `/v1` or the like. */
export function hasVersion(baseUrl: string): boolean {
  return /\/v\d+(beta)?(\/openai)?\/?$/.test(baseUrl);
}

/** A cached response would make two trials one. */
const openRouterHeaders = { "X-OpenRouter-Title": "skillproof", "X-OpenRouter-Cache": "false" };

function hostOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new UserError(
      `baseUrl "${baseUrl}" is not an http address. Write it like https://openrouter.ai/api/v1.`,
    );
  }
  const { hostname, username, password } = new URL(baseUrl);
  if (username !== "" || password !== "") {
    throw new UserError(
      `The base URL of ${hostname} holds a user's name or password. It is written to disk: put the key into the environment instead.`,
    );
  }
  return hostname;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || /^127\.|^\[::1\]$/.test(host);
}
