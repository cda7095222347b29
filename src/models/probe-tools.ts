import { askProbe } from "./ask-probe.ts";
import type { ChatModel, ToolSpec } from "./port.ts";

/** Enough for a call after a little reasoning; some endpoints refuse less than 16. */
const maxTokens = 256;

/**
 * One real request with the real tools (openrouter.md §14.4): it meets what no list tells, such as the account's
 * privacy settings, an endpoint that is gone, a server without a parser for calls. Gives warnings; throws `UserError`
 * when the model cannot be asked like this.
 */
export async function probeTools(
  model: ChatModel,
  tools: readonly [ToolSpec, ...ToolSpec[]],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const [{ name }] = tools;
  const answer = await askProbe(
    model,
    {
      messages: [
        { role: "system", content: "You work with tools." },
        {
          role: "user",
          content: `Call the tool ${name} once with arguments that do no harm. Say nothing else.`,
        },
      ],
      tools,
      maxTokens,
      subject: "probe/tools",
    },
    { signal, advise },
  );
  if (answer.kind === "failure") return [`${model.id}: tools could not be tried: ${answer.message}`];
  if (answer.message.toolCalls.length > 0) return [];
  if (answer.finish === "length") {
    return [
      `${model.id}: came to no tool call within ${maxTokens} tokens, so whether calls arrive is unknown.`,
    ];
  }
  return [
    `${model.id}: asked for a tool call it answered without one. If its calls come as text, the endpoint's parser is ` +
      `measured and not the model.`,
  ];
}

/** What to do on the servers that say no to tools (openrouter.md §17). */
function advise(said: string): string {
  if (/enable-auto-tool-choice/i.test(said)) {
    return "Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model's family.";
  }
  if (/--jinja/i.test(said)) return "Start llama-server with --jinja.";
  if (/does not support tools/i.test(said)) return "Use a model that was made for tool calls.";
  return "";
}
