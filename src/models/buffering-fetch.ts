import { Agent, fetch as undiciFetch } from "undici";

/** What the body was, when it was not the JSON object of an API: header `x-sp-kind` of the rewritten response. */
export type BodyKind = "empty" | "html" | "not-json" | "error-in-200";

/** Status given to a 2xx whose body no API would send. */
export const notAnApi = 599;

/** Headers that begin so are ours: told to what stands between the SDK and this fetch, never sent. */
const ownHeaders = "x-sp-";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for the openai package that reads the whole body under the request's signal, so that timeout and abort
 * cover it, and turns every answer that is no completion (padding only, HTML, cut JSON, an error inside a 200)
 * into an error status with a JSON error. The server's own status stands in `x-sp-status`.
 */
export function bufferingFetch(): Fetch {
  // The caller's total deadline is the only clock; undici's own (300 s to headers, 300 s between bytes) are off.
  const dispatcher = new Agent({ connections: 64, headersTimeout: 0, bodyTimeout: 0 });
  return async (input, init = {}) => {
    const { body, method = "GET", signal } = init;
    if (input instanceof Request || (body != null && typeof body !== "string")) {
      throw new TypeError("bufferingFetch takes a URL and a text body");
    }
    const response = await undiciFetch(input, {
      method,
      headers: [...new Headers(init.headers)].filter(([name]) => !name.startsWith(ownHeaders)),
      body: body ?? null,
      signal: signal ?? null,
      dispatcher,
    });
    return rewrite(response.status, [...response.headers], (await response.text()).trim());
  };
}

function rewrite(sent: number, sentHeaders: readonly (readonly [string, string])[], raw: string): Response {
  const headers = new Headers();
  for (const [name, value] of sentHeaders) {
    if (!/^(content-encoding|content-length|transfer-encoding)$/.test(name)) headers.append(name, value);
  }
  headers.set("content-type", "application/json");
  headers.set("x-sp-status", String(sent));
  const { status, kind, body } = readBody(sent, raw);
  if (kind !== undefined) headers.set("x-sp-kind", kind);
  return new Response(body, { status, headers });
}

type ReadBody = { readonly status: number; readonly kind?: BodyKind; readonly body: string };

function readBody(sent: number, raw: string): ReadBody {
  const json = parseObject(raw);
  if (json === undefined) {
    const kind = raw === "" ? "empty" : /^<(!doctype|html)/i.test(raw) ? "html" : "not-json";
    const message = kind === "empty" ? "empty body" : kind === "html" ? htmlTitle(raw) : raw.slice(0, 200);
    return { status: sent < 400 ? notAnApi : sent, kind, body: errorBody({ message, code: sent }) };
  }
  const error = json["error"] ?? (sent >= 400 ? unwrappedError(json) : undefined);
  if (error == null || hasMembers(json["choices"]) || hasMembers(json["data"])) {
    return { status: sent, body: raw };
  }
  const body = JSON.stringify({ ...json, error: typeof error === "string" ? { message: error } : error });
  return sent >= 400 ? { status: sent, body } : { status: statusOf(error), kind: "error-in-200", body };
}

/** vLLM puts `message` at the top, FastAPI `detail`. */
function unwrappedError(json: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { message, detail } = json;
  const words = typeof message === "string" ? message : detailWords(detail ?? message ?? json);
  return { message: words, code: json["code"], type: json["type"] };
}

/** FastAPI's complaints are a text or a list of `{ loc, msg }`. */
function detailWords(detail: unknown): string {
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return JSON.stringify(detail);
  return detail
    .map((one: unknown) => {
      if (!isObject(one) || typeof one["msg"] !== "string") return JSON.stringify(one);
      return Array.isArray(one["loc"]) ? `${one["loc"].join(".")}: ${one["msg"]}` : one["msg"];
    })
    .join("; ");
}

/** The status an error inside a 200 should have had. A bare string comes from servers asked at a wrong path. */
function statusOf(error: unknown): number {
  if (typeof error === "string") return 404;
  const code = isObject(error) ? error["code"] : undefined;
  return typeof code === "number" && Number.isInteger(code) && code >= 400 && code < 600 ? code : 502;
}

function htmlTitle(html: string): string {
  const title = /<title>([^<]*)<\/title>/i.exec(html)?.[1]?.trim();
  return title === undefined || title === "" ? "an HTML page" : `an HTML page, "${title.slice(0, 150)}"`;
}

function errorBody(error: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ error });
}

function parseObject(raw: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON: said by the caller
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function hasMembers(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
