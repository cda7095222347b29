import { expect, test } from "vitest";
import { Handover } from "./handover.ts";

test("values come in order and the producer waits for each", async () => {
  const handover = new Handover<number>();
  let given = 0;
  const producing = (async () => {
    for (const value of [1, 2, 3]) {
      await handover.give(value);
      given = value;
    }
    handover.finish();
  })();
  const taken: [number, number][] = [];
  for await (const value of handover) taken.push([value, given]);
  await producing;
  expect(taken).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
  ]);
});

test("a failure reaches the consumer after what came before it", async () => {
  const handover = new Handover<number>();
  void handover.give(1);
  handover.fail(new Error("broken"));
  const taken: number[] = [];
  const reading = (async () => {
    for await (const value of handover) taken.push(value);
  })();
  await expect(reading).rejects.toThrow("broken");
  expect(taken).toEqual([1]);
});

test("nobody waits for a consumer who has gone", async () => {
  const handover = new Handover<number>();
  const first = handover.give(1);
  for await (const value of handover) {
    expect(value).toBe(1);
    break;
  }
  await first;
  const second = handover.give(2);
  handover.discard();
  await second;
  await handover.give(3);
});
