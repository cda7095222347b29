import OpenAI from "openai";
import { z } from "zod";

/** Why an attempt gave nothing usable. */
export type Fault =
  | ServerFault
  /** Answered by what is not the pinned endpoint, or out of a cache: such an answer counts for nothing. */
  | { readonly kind: "drift"; readonly message: string }
  /** Not sent: our own budget has no room for it. */
  | { readonly kind: "no_room" };

/** Read from what the SDK threw or from the body of a 200. */
export type ServerFault =
  | { readonly kind: "deadline" }
  | { readonly kind: "connection"; readonly message: string }
  | {
      readonly kind: "response";
      readonly status: number;
      /** `x-sp-kind` of the buffering fetch; null for a plain error answer. */
      readonly body: string | null;
      readonly error: ErrorBody;
      readonly header: (name: string) => string | null;
    }
  /** A 200 in which nothing was generated. */
  | { readonly kind: "empty"; readonly message: string }
  /** The provider could not read its own model's call. */
  | { readonly kind: "malformed"; readonly message: string }
  /** Vectors that do not fit the texts. */
  | { readonly kind: "miscount"; readonly message: string };

const looseText = z.string().nullish().catch(null);

/** What the provider said, which some routers hand on as an object. */
const rawText = z.preprocess(
  (value) => (value !== null && typeof value === "object" ? JSON.stringify(value) : value),
  looseText,
);

const errorBodySchema = z
  .looseObject({
    message: looseText,
    type: looseText,
    code: z.union([z.string(), z.number()]).nullish().catch(null),
    availability: z
      .looseObject({
        code: looseText,
        retryable: z.boolean().nullish().catch(null),
        retry_after: z.number().nullish().catch(null),
      })
      .nullish()
      .catch(null),
    /** Azure's. */
    innererror: z.looseObject({ code: looseText }).nullish().catch(null),
    metadata: z
      .looseObject({
        raw: rawText,
        reason: looseText,
        error_type: looseText,
        limit_source: looseText,
        provider_name: looseText,
        reasons: z.array(z.unknown()).nullish().catch(null),
        headers: z.record(z.string(), z.unknown()).nullish().catch(null),
      })
      .nullish()
      .catch(null),
  })
  .catch({});

/** An API's error object; every field may be missing, and what is of another type is taken as missing. */
export type ErrorBody = z.infer<typeof errorBodySchema>;

export function errorBodyOf(value: unknown): ErrorBody {
  return errorBodySchema.parse(typeof value === "string" ? { message: value } : value);
}

/** Reads what the SDK threw. Whatever is no API error is our own bug and thrown on. */
export function faultOf(thrown: unknown): ServerFault {
  if (thrown instanceof OpenAI.APIConnectionTimeoutError) return { kind: "deadline" };
  if (thrown instanceof OpenAI.APIConnectionError) {
    const { cause } = thrown;
    return { kind: "connection", message: cause instanceof Error ? innermost(cause) : thrown.message };
  }
  if (!(thrown instanceof OpenAI.APIError)) throw thrown;
  const { headers, error, status } = thrown as { headers?: Headers; error?: unknown; status?: number };
  return {
    kind: "response",
    status: status ?? 502,
    body: headers?.get("x-sp-kind") ?? null,
    error: errorBodyOf(error),
    header: (name) => headers?.get(name) ?? null,
  };
}

/** An `error` found inside a choice: treated as if its code had been the status. */
export function faultInChoice(value: unknown): ServerFault {
  const error = errorBodyOf(value);
  const status = typeof error.code === "number" && error.code >= 400 && error.code < 600 ? error.code : 502;
  return { kind: "response", status, body: "error-in-200", error, header: () => null };
}

/** "fetch failed" hides the reason ("connect ECONNREFUSED …") in a chain of causes. */
function innermost(error: Error): string {
  return error.cause instanceof Error ? innermost(error.cause) : error.message;
}

/** One sentence for people: what the server said, cut, with the key never in it. */
export function describeFault(fault: Fault, secret: string): string {
  return describe(fault).replaceAll(secret, "***");
}

function describe(fault: Fault): string {
  switch (fault.kind) {
    case "deadline":
      return "no answer within the deadline of one request";
    case "connection":
      return `connection failed (${fault.message})`;
    case "response": {
      const { error, status } = fault;
      const raw = error.metadata?.raw;
      const said = [error.message, raw]
        .filter((text) => text != null && text !== "")
        .map((text) => text?.slice(0, 500));
      const request = fault.header("x-generation-id") ?? fault.header("x-request-id");
      const sent = fault.header("x-sp-status") ?? status;
      return `HTTP ${sent}: ${said.join(": ") || "no message"}${request === null ? "" : ` (request ${request})`}`;
    }
    case "no_room":
      return "the budget leaves no room for this request";
    case "empty":
    case "malformed":
    case "miscount":
    case "drift":
      return fault.message;
  }
}
