import type { Catalogue } from "./catalogue.ts";

/** What stands behind an OpenAI-compatible address, as far as its list, host and port tell: for hints only. */
export type ServerKind = "ollama" | "llama.cpp" | "vllm" | "lm-studio" | "azure" | "unknown";

const byOwner: ReadonlyMap<string | null, ServerKind> = new Map([
  ["library", "ollama"],
  ["llamacpp", "llama.cpp"],
  ["vllm", "vllm"],
  ["organization_owner", "lm-studio"],
]);

/** Ports that no other server uses by default. */
const byPort: ReadonlyMap<string, ServerKind> = new Map([
  ["11434", "ollama"],
  ["1234", "lm-studio"],
]);

export function serverKindOf(baseUrl: string, catalogue: Catalogue | null): ServerKind {
  const { hostname, port } = new URL(baseUrl);
  if (/\.azure\.com$/.test(hostname)) return "azure";
  for (const { ownedBy } of catalogue?.values() ?? []) {
    const kind = byOwner.get(ownedBy);
    if (kind !== undefined) return kind;
  }
  return byPort.get(port) ?? "unknown";
}

/** What to do about a model that the server does not list. */
export function unknownModelHint(kind: ServerKind, ids: readonly string[]): string {
  switch (kind) {
    case "ollama":
      return `Pull it first: ${ids.map((id) => `ollama pull ${id}`).join(", ")}.`;
    case "llama.cpp":
      return "llama-server has the one model it was started with: use the name it lists, or give it another with --alias.";
    case "vllm":
      return "vLLM has the model it was started with, under the name of --served-model-name.";
    case "lm-studio":
      return "Download and load it in LM Studio first.";
    case "azure":
      return "On Azure the name of the deployment is the model's id.";
    case "unknown":
      return "";
  }
}

/** How a server gets a larger context window: none of them takes it from a request. */
export function windowHint(kind: ServerKind): string {
  switch (kind) {
    case "ollama":
      return (
        "Ollama takes the window from the model: write a Modelfile with `FROM <model>` and `PARAMETER num_ctx 32768`, " +
        "`ollama create` a model from it and use that one (or set OLLAMA_CONTEXT_LENGTH for the server)."
      );
    case "llama.cpp":
      return "Start llama-server with a larger -c; with several slots (-np) each has its share of it only.";
    case "vllm":
      return "Start vLLM with a larger --max-model-len.";
    case "lm-studio":
      return "Load the model with a larger context length in LM Studio.";
    case "azure":
    case "unknown":
      return "Give the server a larger window: num_ctx in an Ollama Modelfile, -c of llama-server, --max-model-len of vLLM.";
  }
}
