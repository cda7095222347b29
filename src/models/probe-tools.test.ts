import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { type FakedChat, fakedChat, openingRequest } from "../testing/faked-chat.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { probeTools } from "./probe-tools.ts";
import type { ToolSpec } from "./port.ts";

const [bash] = openingRequest.tools as [ToolSpec];

async function withFake<T>(act: (chat: FakedChat) => Promise<T>): Promise<T> {
  const chat = await fakedChat();
  try {
    return await act(chat);
  } finally {
    await chat.close();
  }
}

test("a call in its proper field is all that is wanted", () =>
  withFake(async (chat) => {
    chat.load({ rules: [{ do: { agent: [[{ name: "bash", args: { command: "true" } }]] } }] });
    expect(await probeTools(chat.open({ role: "probe" }).model, [bash])).toEqual([]);
    expect(chat.log()).toHaveLength(1);
    expect(chat.log()[0]?.body).toMatchObject({ provider: { only: ["alpha/fp8"] }, max_tokens: 256 });
    expect(chat.log()[0]?.body["tools"]).toHaveLength(1);
  }));

test.each([
  ["calls_in_content", /without one.*parser/s],
  ["reasoning_ate_budget", /no tool call within 256 tokens/],
])("%s is a warning", (quirk, words) =>
  withFake(async (chat) => {
    chat.load({ rules: [{ do: { agent: [{ calls: [{ name: "bash", args: {} }], quirk }] } }] });
    const warnings = await probeTools(chat.open().model, [bash]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(words);
  }),
);

test.each([
  ["vllm_no_tool_parser", /--enable-auto-tool-choice.*Start vLLM with/s],
  ["data_policy", /privacy/],
  ["no_tool_endpoints", /support tool use/],
])("%s is the user's to mend", (fault, words) =>
  withFake(async (chat) => {
    chat.load({ rules: [{ do: { fault } }] });
    const probed = probeTools(chat.open().model, [bash]);
    await expect(probed).rejects.toThrow(UserError);
    await expect(probed).rejects.toThrow(words);
    expect(chat.requests()).toBe(1);
  }),
);

test("a prompt that is blocked tells nothing about tools", async () => {
  const warnings = await probeTools(scriptedModel([{ failure: "blocked" }]), [bash]);
  expect(warnings).toEqual(["scripted/model: tools could not be tried: scripted blocked"]);
});
