/** What a written campaign file says about a key besides what the schema knows. */
export type Note = {
  /** Why one would change it; one line. */
  readonly why: string;
  /** Shown, left out, where the schema has no default. */
  readonly example?: unknown;
  /** Further entries of a list, shown and left out. */
  readonly entries?: readonly { readonly entry: unknown; readonly why: string }[];
};

/** By path: `*` stands for any name, `[]` for an entry of a list. */
export const notes: Readonly<Record<string, Note>> = {
  name: { why: "names the campaign's folder below out; another name begins another campaign" },
  seed: { why: "order of trials, clusters, mutants; another seed is another draw of the same design" },
  skills: {
    why: "skills under test; benchmarks are looked for in <benchmarks>/<folder name>",
    entries: [
      {
        entry: { folder: "skills/other", benchmarks: "elsewhere/other" },
        why: "when they are somewhere else",
      },
    ],
  },
  benchmarks: { why: "folder of the bundles that passed the gate; worth committing" },
  out: { why: "folder for everything that commands produce; not worth committing" },

  models: { why: "Any OpenAI-compatible server: OpenRouter, Ollama, llama.cpp, vLLM, a proxy." },
  "models.baseUrl": { why: "root of the server, up to and with /v1; http://127.0.0.1:11434/v1 for Ollama" },
  "models.apiKeyEnv": {
    why: "variable that holds the key, in the environment or .env; may be unset on loopback",
  },
  "models.dialect": { why: "which fields may be sent, where the host does not say it", example: "openai" },
  "models.deadlineSeconds": {
    why: "for one request; 600, or 1800 on this machine, if not set",
    example: 900,
  },
  "models.settings": {
    why: "by model id: what is fixed for it in every role, and what the server does not list",
    example: "vendor/model",
  },
  "models.settings.*.pin": { why: "endpoint to use instead of the chosen one", example: "fireworks/fp8" },
  "models.settings.*.parameters": {
    why: "optional request parameters of a server that lists none",
    example: ["seed", "temperature"],
  },
  "models.settings.*.prices": {
    why: "US dollars per million tokens, for a server that names none; 0 for a model of your own",
  },
  "models.settings.*.prices.input": { why: "prompts", example: 0 },
  "models.settings.*.prices.output": { why: "answers", example: 0 },
  "models.settings.*.prices.cacheRead": { why: "prompts from the provider's cache", example: 0 },
  "models.settings.*.prices.cacheWrite": { why: "prompts put into it", example: 0 },
  "models.settings.*.temperature": { why: "the provider's default if not set", example: 0.7 },
  "models.settings.*.reasoning": { why: "how much it thinks before it answers" },
  "models.settings.*.reasoning.effort": {
    why: "low, medium, high, as the server names them",
    example: "low",
  },
  "models.settings.*.reasoning.max_tokens": {
    why: "instead of an effort, where tokens are counted",
    example: 2048,
  },
  "models.settings.*.reasoning.enabled": { why: "switches it on or off", example: true },
  "models.settings.*.reasoning.exclude": { why: "thinks without sending the thoughts", example: false },
  "models.settings.*.concurrency": {
    why: "requests in flight at most, for a server that takes few",
    example: 4,
  },
  "models.record": {
    why: "folder to keep every exchange with the server in, without the key",
    example: "recordings",
  },
  "models.replay": { why: "folder of such a recording, to answer from it offline", example: "recordings" },
  "models.standIn": {
    why: "policy file for models called stand-in/…, which need no server: to try things out",
    example: "policy.yaml",
  },

  embedding: { why: "How sections of a skill are compared." },
  "embedding.provider": { why: "lexical needs no network and no key; openai is any /embeddings endpoint" },
  "embedding.model": { why: "needed by openai", example: "openai/text-embedding-3-small" },
  "embedding.baseUrl": {
    why: "when it is another server than models.baseUrl",
    example: "http://127.0.0.1:11434/v1",
  },
  "embedding.apiKeyEnv": { why: "variable that holds its key" },

  chunking: { why: "How a skill is cut into sections." },
  "chunking.sources": { why: "SKILL.md alone, with the documents it links to, or every document" },
  "chunking.foldBelowTokens": { why: "smaller sections go with their neighbour; 0 keeps all apart" },
  "chunking.boilerplateTitles": {
    why: "replaces the built-in list of titles that describe a skill rather than a capability",
    example: ["Changelog", "License"],
  },

  clustering: { why: "How sections become topics, one benchmark each." },
  "clustering.kMin": { why: "fewest topics tried" },
  "clustering.kMax": { why: "most topics tried; more for a long skill" },
  "clustering.benchmarks": {
    why: "topics that get a benchmark, where there are so many; fewer than 6 say nothing about tasks like these",
  },
  "clustering.duplicateCosine": { why: "sections more alike than this count once", example: 0.98 },
  "clustering.minClusterTokens": { why: "topics with less text get no benchmark" },

  authoring: { why: "Who writes the benchmarks." },
  "authoring.backend": { why: "a model in a container without network, any program, or a recording" },
  "authoring.model": {
    why: "for openrouter; a strong one pays, since refused drafts cost as well",
    example: "vendor/model",
  },
  "authoring.command": { why: "for command: program and arguments", example: ["my-author", "--quiet"] },
  "authoring.recording": { why: "for replay: file of recorded drafts", example: "drafts.yaml" },
  "authoring.maxAttempts": { why: "drafts per benchmark before it is given up" },
  "authoring.budgetUsd": { why: "US dollars for one attempt", example: 2 },
  "authoring.timeoutSeconds": { why: "time for one attempt" },
  "authoring.limits": { why: "of the loop in which a model writes" },
  "authoring.limits.turns": { why: "answers of the model" },
  "authoring.limits.outputTokens": { why: "all its answers together" },
  "authoring.limits.seconds": { why: "not used here: timeoutSeconds holds" },
  "authoring.limits.commandSeconds": { why: "one command in the container" },
  "authoring.limits.maxTokensPerTurn": { why: "one answer; more for models that think long" },

  gate: { why: "What a benchmark must stand before it is used." },
  "gate.graderSeconds": { why: "one grading; more for graders that compile" },
  "gate.gradings": { why: "gradings of the reference that must agree, each under other circumstances" },
  "gate.mutants": { why: "broken variants of the reference to try at most; fewer is faster and proves less" },
  "gate.killRate": { why: "share of them that the grader must refuse" },
  "gate.leaks": { why: "whether a task that gives its answer away is told or refused" },
  "gate.concurrency": { why: "containers at once; changes no outcome" },

  evaluation: { why: "The trials." },
  "evaluation.models": { why: "models under test" },
  "evaluation.trials": { why: "per arm, benchmark and model; fewer than 3 make every cell a coin toss" },
  "evaluation.arms": {
    why: "what is compared; at least two",
    entries: [
      { entry: "placebo", why: "neutral advice of the same length and files: is it just more text?" },
      { entry: "without_skill@again", why: "the same arm twice measures the noise" },
      { entry: { pack: ["skills/careful-engineering"], name: "advice" }, why: "other skills in its place" },
      { entry: { version: "v1.0" }, why: "the skill at a git ref" },
      {
        entry: { ablation: "every-section" },
        why: "without one section at a time; also a heading, every-cluster",
      },
      { entry: { placebo: {}, label: "again" }, why: "an arm as an object, repeated under a label" },
    ],
  },
  "evaluation.delivery": {
    why: "the whole SKILL.md in the prompt, or name and description that the agent may follow",
  },
  "evaluation.limits": { why: "of one trial; what the agent has left then is graded" },
  "evaluation.limits.turns": { why: "answers of the agent; more for long tasks" },
  "evaluation.limits.outputTokens": { why: "all its answers together" },
  "evaluation.limits.seconds": { why: "wall-clock time" },
  "evaluation.limits.commandSeconds": { why: "one command in the container" },
  "evaluation.limits.maxTokensPerTurn": { why: "one answer; more for models that think long" },
  "evaluation.budgetUsd": {
    why: "US dollars, earlier starts included; at it eval ends with exit code 4, and with more it goes on",
    example: 20,
  },
  "evaluation.deadlineHours": {
    why: "after so many hours eval begins no further trial and ends with exit code 4; the same command goes on",
    example: 8,
  },
  "evaluation.exclude": { why: "leaves out what `skillproof probe` marked; a skill's harm can hide there" },
  "evaluation.concurrency": {
    why: "trials at once; changes no outcome, and memory must hold so many containers",
  },

  probe: { why: "`skillproof probe`: which benchmarks leave room for an effect." },
  "probe.models": { why: "evaluation.models if not set", example: ["vendor/model"] },
  "probe.trials": { why: "per benchmark and model" },

  judge: { why: "Who answers what no program can; needed by judged benchmarks." },
  "judge.models": { why: "three from three vendors, none of them under test" },
  "judge.claims": {
    why: "asks them too whether a failed trial's last message claims success; costs a question each",
  },
  "judge.deadlineSeconds": { why: "for one request to a judge" },

  sandbox: { why: "The containers, which have no network." },
  "sandbox.socket": {
    why: "address of the engine, when it is not found by itself",
    example: "/run/docker.sock",
  },
  "sandbox.endpoints": { why: "several engines instead of one socket, filled by free places" },
  "sandbox.endpoints[].address": {
    why: "path of a socket, or tcp://host:port",
    example: "tcp://10.0.0.7:2376",
  },
  "sandbox.endpoints[].tls": { why: "PEM files for an engine behind TLS" },
  "sandbox.endpoints[].tls.ca": { why: "who signed its certificate", example: "tls/ca.pem" },
  "sandbox.endpoints[].tls.cert": { why: "ours", example: "tls/cert.pem" },
  "sandbox.endpoints[].tls.key": { why: "and its key", example: "tls/key.pem" },
  "sandbox.endpoints[].concurrency": { why: "containers alive there at once", example: 4 },
  "sandbox.image": { why: "an image of your own with bash, tar, find and python3", example: "my/image:1" },
  "sandbox.packages": { why: "Debian packages that the skill needs besides what the image has" },
  "sandbox.cpus": { why: "of one container" },
  "sandbox.memoryMiB": { why: "of one container, workspace included" },
  "sandbox.workspace": {
    why: "in memory with a size limit, or on the engine's disk for trees too large for memory",
  },
  "sandbox.workspaceMiB": { why: "size limit of the workspace, and of what is kept of it" },
  "sandbox.pids": { why: "processes at once in one container" },

  analysis: { why: "How the campaign is analysed; frozen in its plan before the first trial." },
  "analysis.alpha": { why: "share of false alarms that is accepted" },
  "analysis.sides": { why: "1 asks only whether the skill helps; harm is then never concluded" },
  "analysis.delta": { why: "what makes no meaningful difference, as a fraction: 0.1 for 10 points" },
  "analysis.family": { why: "holm for few skills and strong claims, bh for a catalogue of leads" },
  "analysis.midP": { why: "decides on mid-p, which is less cautious" },
  "analysis.minTasks": { why: "below it nothing is said about tasks like these" },
  "analysis.power": { why: "chance to find an effect, in what is said to be needed" },
  "analysis.bootstrap": { why: "an interval beside the exact ones; it decides nothing" },
  "analysis.bootstrap.resamples": { why: "0 leaves it out" },
  "analysis.bootstrap.seed": { why: "of its draws" },
  "analysis.placebo": { why: "arm that helps has to beat as well wherever it ran; null for none" },
  "analysis.noiseFloor": { why: "uplift between two equal arms in an earlier campaign, as a fraction" },
  "analysis.decision": { why: "what turns a conclusion into accept, restrict, revise or reject" },
  "analysis.decision.minUplift": { why: "a skill that helps by less is rejected" },
  "analysis.decision.harmedFrom": { why: "loss from which a task counts as harmed" },
  "analysis.decision.maxHarmedShare": {
    why: "a skill that helps and harms more of its tasks is to be revised",
  },
  "analysis.decision.reviseUpTo": {
    why: "a skill that hurts at most this share of its tasks is to be revised, not rejected",
  },
  "analysis.decision.maxTokenRatio": { why: "tokens with the skill ÷ without; null sets no limit" },
  "analysis.decision.maxCostPerCorrectRatio": { why: "the same of cost per correct; null sets no limit" },
  "analysis.decision.generalise": {
    why: "accepts only what holds for tasks like these, not for this set alone",
  },
  "analysis.decision.unclear": { why: "what becomes of a skill about which the campaign cannot tell" },
  "analysis.looks": { why: "looks at the campaign before its end, with stops by fixed boundaries" },
  "analysis.looks.count": { why: "looks, the last one included", example: 3 },
  "analysis.looks.boundary": { why: "obrien-fleming is strict early and mild late, pocock alike throughout" },
  "analysis.looks.settle": { why: "stops cells that agree and gives their trials to those that do not" },
  "analysis.looks.settle.after": { why: "equal pairs after which a cell is settled" },
  "analysis.looks.settle.mostPairs": { why: "pairs that a cell may grow to" },
  "analysis.comparisons": {
    why: "which arm against which; every arm with a skill against the one without if not set",
  },
  "analysis.comparisons[].arm": { why: "the arm", example: "with_skill" },
  "analysis.comparisons[].against": { why: "and what it is held against", example: "without_skill" },

  report: { why: "What the report counts." },
  "report.leaky": {
    why: "whether benchmarks that give an answer away are counted; they are named in any case",
  },
};
