import { afterAll, beforeAll, expect, test } from "vitest";
import { FAULTS } from "../testing/fake-openrouter.mjs";
import { type FakedChat, fakedChat, openingRequest } from "../testing/faked-chat.ts";
import { marker } from "../testing/sample-campaign.ts";
import { classifyFault } from "./classify-error.ts";
import type { ChatRequest } from "./port.ts";

let faked: FakedChat;
beforeAll(async () => {
  faked = await fakedChat();
});
afterAll(() => faked.close());

/** Never answered: they are given up soon, and the others have time on a busy machine. */
const unanswered = ["stall_headers", "stall_body", "endless_padding"];

function requestOf(system: string): ChatRequest {
  const [, ...rest] = openingRequest.messages;
  return { ...openingRequest, messages: [{ role: "system", content: system }, ...rest] };
}

/** What one request comes to when it meets a fault again and again. */
async function courseOf(fault: string, system: string): Promise<unknown> {
  faked.load({ rules: [{ do: { fault } }] });
  const { model, clock } = faked.open({ deadlineMs: unanswered.includes(fault) ? 150 : 10_000 });
  const answer = await model.complete(requestOf(system));
  const end = answer.kind === "turn" ? "turn" : answer.failure;
  return {
    end,
    costUnknown: answer.kind === "failure" && answer.costUnknown,
    sent: faked.requests(),
    waits: clock.waits,
  };
}

/** A hint that is an hour of the day differs between two requests; then only how often was waited does not. */
const timed = ["rate_limit_platform", "rate_limit_daily"];

test.each(Object.keys(FAULTS))("%s comes to the same with and without the skill", async (fault) => {
  const system = "You work in a container.";
  const plain = await courseOf(fault, system);
  const withSkill = await courseOf(fault, `${system}\n\n${marker}: the answer is always the word right.`);
  const waits = timed.includes(fault) ? { waits: expect.any(Array) as unknown } : {};
  expect(withSkill).toEqual({ ...(plain as object), ...waits });
});

test("what says whose a fault is sees the fault and the time, and no request", () => {
  expect(classifyFault).toHaveLength(2);
});
