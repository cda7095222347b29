import type { Endpoint } from "../artefacts/endpoint.ts";
import { nearest } from "../nearest.ts";
import type { ListedEndpoint } from "./endpoints.ts";
import { describePrices } from "./prices.ts";

/** What a model is to do, in every role it plays. */
export type EndpointNeeds = {
  readonly model: string;
  /** Agents and authors cannot work without. */
  readonly tools: boolean;
  /** Judges answer more reliably where a schema can be sent. */
  readonly schema: boolean;
  /** Longest prompt together with its answer. */
  readonly tokens: number;
  /** Tag from the YAML. */
  readonly pin?: string | undefined;
};

export type EndpointChoice =
  | { readonly kind: "chosen"; readonly endpoint: ListedEndpoint; readonly warnings: readonly string[] }
  /** For the user to mend. */
  | { readonly kind: "none"; readonly reason: string };

/** fp8 and better: below it the same weights call tools measurably worse (openrouter.md §4). */
const fineQuantizations = ["fp8", "mxfp8", "int8", "fp16", "bf16", "fp32"];

/** Per cent. */
const highUptime = 95;

/** An agent's loop pays for about ten times as many input tokens, cached ones at their price, as for output. */
const inputPerOutput = 10;

/**
 * Chooses where a model is served for a whole campaign: of the endpoints that can do it those that are up, can be
 * told apart by their tag, take what is preferred, are not quantised below fp8; then the cheapest. Ties go by tag, so
 * the same list gives the same choice.
 */
export function chooseEndpoint(listed: readonly ListedEndpoint[], needs: EndpointNeeds): EndpointChoice {
  const { model, pin } = needs;
  if (listed.length === 0) return { kind: "none", reason: `${model}: no endpoint serves it at present.` };
  if (pin !== undefined) return choosePinned(listed, needs, pin);
  const able = listed.filter((endpoint) => shortcoming(endpoint, needs) === undefined);
  const [best] = [...able].sort(byPreference(listed, needs));
  if (best === undefined) {
    const reasons = listed.map((endpoint) => `${endpoint.tag} ${shortcoming(endpoint, needs) ?? ""}`);
    return { kind: "none", reason: `${model}: no endpoint can be used: ${reasons.join("; ")}.` };
  }
  return { kind: "chosen", endpoint: best, warnings: doubts(best, listed, model) };
}

function choosePinned(listed: readonly ListedEndpoint[], needs: EndpointNeeds, pin: string): EndpointChoice {
  const { model } = needs;
  const key = `models.settings.${model}.pin`;
  const pinned = listed.find(({ tag }) => tag === pin);
  if (pinned === undefined) {
    const tags = listed.map(({ tag }) => tag).sort();
    const near = [...new Set([...tags.filter((tag) => tag.startsWith(`${pin}/`)), ...nearest(pin, tags, 3)])];
    const meant = near.length === 0 ? "" : `; did you mean ${near.slice(0, 3).join(" or ")}?`;
    const reason = `${key}: no endpoint "${pin}"${meant === "" ? ";" : meant} ${model} is served at ${tags.join(", ")}.`;
    return { kind: "none", reason };
  }
  const lacking = shortcoming(pinned, needs);
  if (lacking !== undefined) return { kind: "none", reason: `${key}: ${pin} ${lacking}.` };
  return { kind: "chosen", endpoint: pinned, warnings: doubts(pinned, listed, model) };
}

/** Why an endpoint cannot be used at all. */
function shortcoming(endpoint: ListedEndpoint, { tools, tokens }: EndpointNeeds): string | undefined {
  const { parameters, prices, contextLength } = endpoint;
  if (tools && !parameters.includes("tools")) return "does not take tools";
  if (prices === "varies" || prices === null) return "names no price";
  if (contextLength !== null && contextLength < tokens)
    return `holds ${contextLength} tokens where ${tokens} are needed`;
  return undefined;
}

function byPreference(
  listed: readonly ListedEndpoint[],
  { schema }: EndpointNeeds,
): (a: ListedEndpoint, b: ListedEndpoint) => number {
  const ranks: readonly ((endpoint: ListedEndpoint) => number)[] = [
    ({ status }) => Number(isDown(status)),
    ({ uptime }) => (uptime === null ? 1 : uptime >= highUptime ? 0 : 2),
    (endpoint) => Number(alsoMatched(endpoint, listed).length > 0),
    ({ parameters }) => Number(schema && !takesSchema(parameters)),
    ({ quantization }) => (quantization === null ? 1 : fineQuantizations.includes(quantization) ? 0 : 2),
    price,
  ];
  return (a, b) => {
    const differing = ranks.map((rank) => rank(a) - rank(b)).find((difference) => difference !== 0);
    return differing ?? (a.tag < b.tag ? -1 : a.tag > b.tag ? 1 : 0);
  };
}

/** For comparing only: sums of money are made of the decimal text. */
function price({ prices }: ListedEndpoint): number {
  if (prices === null || prices === "varies") return Infinity;
  return Number(prices.prompt) * inputPerOutput + Number(prices.completion);
}

function takesSchema(parameters: readonly string[]): boolean {
  return ["structured_outputs", "response_format"].some((name) => parameters.includes(name));
}

function isDown(status: number | null): boolean {
  return status !== null && status < 0;
}

/** A tag matches its variants too (`deepinfra` also `deepinfra/turbo`), unless the quantization tells them apart. */
function alsoMatched(endpoint: ListedEndpoint, listed: readonly ListedEndpoint[]): string[] {
  const { tag, quantization } = endpoint;
  return listed
    .filter((other) => other !== endpoint && (other.tag === tag || other.tag.startsWith(`${tag}/`)))
    .filter((other) => quantization === null || other.quantization === quantization)
    .map((other) => other.tag);
}

/** What the user should know about an endpoint that will be used nevertheless. */
function doubts(endpoint: ListedEndpoint, listed: readonly ListedEndpoint[], model: string): string[] {
  const { tag, quantization, uptime, status } = endpoint;
  const also = alsoMatched(endpoint, listed);
  const words = [
    isDown(status) ? "is reported down at present" : "",
    uptime !== null && uptime < highUptime ? `was up for ${uptime} % of the last 30 minutes` : "",
    quantization !== null && !fineQuantizations.includes(quantization)
      ? `is quantised to ${quantization}, below fp8`
      : "",
    also.length > 0
      ? `cannot be told apart from ${also.join(", ")} by a request: trials may be served by both`
      : "",
    endpoint.pricesVary
      ? "has other prices for long prompts or at some hours: estimates use the base prices"
      : "",
  ];
  return words.filter((word) => word !== "").map((word) => `${model}: ${tag} ${word}.`);
}

/** `acme/coder at fireworks/fp8 (fp8, 131072 tokens, $0.60/$2.20 per million)`. */
export function describeEndpoint(endpoint: Endpoint): string {
  const { model, tag, baseUrl, quantization, contextLength, prices } = endpoint;
  const facts = [
    quantization ?? "quantization unknown",
    contextLength === null ? "window unknown" : `${contextLength} tokens`,
    prices === null ? "price unknown" : describePrices(prices),
  ];
  return `${model} at ${tag ?? baseUrl} (${facts.join(", ")})`;
}
