import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerBundle } from "../testing/benchmark.ts";
import { parseDraft } from "./draft.ts";
import type { Author, AuthorRequest } from "./port.ts";

/** What every implementation is prepared to deliver: for a request with `title` and `sentence`, this bundle. */
export const contractDraft = {
  title: "Answers",
  sentence: "Make a benchmark of the section on answers.",
  bundle: answerBundle(),
  /** The grader of the first attempt; the second repairs it. */
  broken: answerBundle("answer", { grade: "#!/bin/sh\nexit 2\n" }),
} as const;

export type OpenedAuthor = { readonly author: Author; readonly close: () => Promise<void> };

export function contractRequest(over: Partial<AuthorRequest> = {}): AuthorRequest {
  const { title, sentence } = contractDraft;
  return {
    id: "sample/answers",
    titles: [title, "Another section"],
    attempt: 2,
    prompt: `${sentence}\nAnd a long contract.\n`,
    assets: [],
    previous: contractDraft.broken.tree,
    ...over,
  };
}

/**
 * The contract of `Author`, run over every implementation: attempt 1 delivers the broken draft, attempt 2 the sound
 * one, and a request for a section it knows nothing about delivers nothing.
 */
export function authorContract(name: string, open: () => Promise<OpenedAuthor>): void {
  describe(`${name} keeps the contract of an author`, () => {
    let opened: OpenedAuthor;
    beforeAll(async () => {
      opened = await open();
    }, 600_000);
    afterAll(() => opened.close());

    test("it names itself", () => {
      expect(opened.author.backend).toMatch(/^(openrouter|command|replay)\b/);
      expect(opened.author.isolated).toBe(!opened.author.backend.startsWith("command"));
    });

    test.each([
      [1, contractDraft.broken, []],
      [2, contractDraft.bundle, contractDraft.broken.tree],
    ] as const)("attempt %d delivers a whole draft", async (attempt, bundle, previous) => {
      const answer = await opened.author.draft(contractRequest({ attempt, previous }));
      if (answer.kind !== "draft") throw new Error(`${answer.reason}\n${answer.log}`);
      const parsed = parseDraft("answer", answer.tree);
      expect(parsed.kind === "faults" ? parsed.faults : []).toEqual([]);
      expect(parsed.kind === "bundle" && parsed.bundle.hash).toBe(bundle.hash);
      expect(typeof answer.log).toBe("string");
    });

    test("the same request twice gives the same draft: nothing is left over from the first", async () => {
      const first = await opened.author.draft(contractRequest());
      const second = await opened.author.draft(contractRequest());
      expect(second.kind === "draft" && second.tree).toEqual(first.kind === "draft" && first.tree);
    });

    test("a section it knows nothing about gives nothing, with a reason", async () => {
      const answer = await opened.author.draft(
        contractRequest({ titles: ["Unknown"], prompt: "Something else.\n", previous: [], attempt: 1 }),
      );
      expect(answer.kind).toBe("nothing");
      expect(answer.kind === "nothing" && answer.reason.length).toBeGreaterThan(10);
    });

    test("an aborted signal rejects with its reason", async () => {
      const stop = new AbortController();
      stop.abort(new Error("interrupted by the user"));
      await expect(opened.author.draft(contractRequest(), stop.signal)).rejects.toThrow(
        "interrupted by the user",
      );
    });
  });
}
