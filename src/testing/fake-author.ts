import type { Author, AuthorAnswer, AuthorRequest } from "../author/port.ts";

export type FakeAuthor = Author & { readonly requests: readonly AuthorRequest[] };

/** Answers attempt after attempt; the last answer repeats. An error is thrown. */
export function fakeAuthor(
  answers: readonly [AuthorAnswer | Error, ...(AuthorAnswer | Error)[]],
): FakeAuthor {
  const requests: AuthorRequest[] = [];
  return {
    backend: "fake",
    isolated: true,
    requests,
    draft(request) {
      requests.push(request);
      const answer = answers[Math.min(requests.length, answers.length) - 1] ?? answers[0];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
}
