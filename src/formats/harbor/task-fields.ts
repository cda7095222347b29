import { printed } from "../printed.ts";

/** What becomes of one field of task.toml. */
export type Fate =
  /** A bundle has a place for it, or it says what holds here anyhow. */
  | { readonly kind: "taken" }
  | { readonly kind: "lost"; readonly words: string }
  /** The task cannot be a bundle; the words say why and what to do. */
  | { readonly kind: "refused"; readonly words: string };

type Field = (value: unknown) => Fate;

const taken: Fate = { kind: "taken" };
const lost =
  (words: string): Field =>
  (value) => ({ kind: "lost", words: `${valueWords(value)}: ${words}` });
const refused = (words: string): Fate => ({ kind: "refused", words });

const networkMode: Field = (value) =>
  value === "no-network"
    ? taken
    : refused(
        `is ${valueWords(value)}; agents and graders here have no network. A task that works with "no-network" can be imported.`,
      );
const hosts: Field = (value) =>
  isEmpty(value) ? taken : refused(`names ${valueWords(value)}; agents and graders here have no network.`);
const noneOf =
  (words: string): Field =>
  (value) =>
    isEmpty(value) ? taken : refused(words);
const texts: Field = (value) =>
  isTable(value) && Object.values(value).every((text) => typeof text === "string")
    ? taken
    : refused("must be a table of texts.");
const text: Field = (value) =>
  typeof value === "string" ? taken : refused(`must be a text; it is ${valueWords(value)}.`);

const agentLimit = "agents are limited by the campaign (evaluation.limits)";
const sandboxLimit = "containers are limited by the campaign (sandbox)";
const user = "agent, grader and candidate code each have a user of their own, none of them root";

/** Every field that the schema knows up to 1.4, by its path. */
export const fields: Readonly<Record<string, Field>> = {
  schema_version: () => taken,
  version: () => taken,
  source: lost("not kept"),
  multi_step_reward_strategy: lost("without meaning for a task of one step"),
  multi_step_reward_mode: lost("without meaning for a task of one step"),
  artifacts: lost("the whole workspace is kept instead"),
  steps: noneOf("has steps; a bundle has one task. Make a task of each step."),
  "task.name": text,
  "task.description": text,
  "task.authors": lost("not kept"),
  "task.keywords": lost("not kept"),
  "agent.timeout_sec": lost(agentLimit),
  "agent.user": lost(user),
  "agent.network_mode": networkMode,
  "agent.allowed_hosts": hosts,
  "verifier.timeout_sec": lost("graders are limited by the campaign (gate.graderSeconds)"),
  "verifier.env": (value) => (texts(value).kind === "taken" ? verifierEnvironment(value) : texts(value)),
  "verifier.user": lost(user),
  "verifier.network_mode": networkMode,
  "verifier.allowed_hosts": hosts,
  "verifier.environment_mode": (value) =>
    value === "shared"
      ? taken
      : refused(`is ${valueWords(value)}; tests here are executed in the one image. Use "shared".`),
  "verifier.environment": noneOf(
    "describes an environment of the verifier's own; tests here are executed in the one image.",
  ),
  "verifier.collect": noneOf("collects by commands in services, and there are no services here."),
  "environment.build_timeout_sec": lost("nothing is built"),
  "environment.docker_image": lost(
    "replaced by the sandbox's image; the Dockerfile says which files it starts from",
  ),
  "environment.os": (value) =>
    value === "linux" ? taken : refused(`is ${valueWords(value)}; containers here are Linux.`),
  "environment.cpus": lost(sandboxLimit),
  "environment.memory_mb": lost(sandboxLimit),
  "environment.storage_mb": lost(sandboxLimit),
  "environment.memory": lost(sandboxLimit),
  "environment.storage": lost(sandboxLimit),
  "environment.gpus": (value) =>
    value === 0 ? taken : refused(`is ${valueWords(value)}; containers here have no GPU.`),
  "environment.gpu_types": noneOf("names GPUs; containers here have none."),
  "environment.tpu": noneOf("names a TPU; containers here have none."),
  "environment.env": lost("not set: nothing but the task reaches the agent"),
  "environment.workdir": (value) =>
    typeof value === "string" && /^\/[^$"'\\\p{Cc}]*$/u.test(value)
      ? taken
      : refused(`must be an absolute path; it is ${valueWords(value)}.`),
  "environment.skills_dir": lost("an arm decides which skills there are"),
  "environment.network_mode": networkMode,
  "environment.allowed_hosts": hosts,
  "environment.allow_internet": (value) =>
    value === false ? taken : refused(`is ${valueWords(value)}; agents and graders here have no network.`),
  "environment.healthcheck": noneOf(
    "waits for a service, and nothing but the agent works in a container here.",
  ),
  "environment.mcp_servers": noneOf("names MCP servers; an agent here has its tools and no servers."),
  "solution.env": texts,
};

/** Tables whose members are looked up one by one. */
export const sections = ["task", "agent", "verifier", "environment", "solution"] as const;

/** A value from the host's environment is a key or an address, which a grader without network has no use for. */
function verifierEnvironment(value: unknown): Fate {
  const named = isTable(value)
    ? Object.entries(value).find(([, one]) => typeof one === "string" && one.includes("${"))
    : undefined;
  if (named === undefined) return taken;
  return refused(
    `takes ${printed(named[0])} from the host; a grader here gets nothing from there. Write its value, or take it out.`,
  );
}

export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isTable(value) && Object.keys(value).length === 0;
}

/** A value in a message: short, and never followed into. */
export function valueWords(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isTable(value)) return `{${printed(Object.keys(value).join(", "))}}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "a date" : value.toISOString();
  return typeof value === "string" ? printed(JSON.stringify(value)) : String(value);
}
