import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { InterruptedError } from "../errors.ts";
import { sayWhenDraining, type Stops, stopOnSignals, withoutDraining } from "./signals.ts";

type Rig = { readonly stops: Stops; readonly send: (name: string, atMs: number) => string };

/** Sends signals at given times and answers with what has been stopped so far. */
function rig(): Rig {
  const source = new EventEmitter();
  let time = 0;
  let exits = 0;
  const stops = stopOnSignals(
    source,
    () => exits++,
    () => time,
  );
  const send = (name: string, atMs: number): string => {
    time = atMs;
    source.emit(name);
    const { drain, signal } = stops;
    return `drain ${drain.aborted ? "yes" : "no"}, kill ${signal.aborted ? "yes" : "no"}, exits ${exits}`;
  };
  return { stops, send };
}

test("the first signal drains, the second kills, the third exits, whichever they are", () => {
  const { stops, send } = rig();
  expect(send("SIGHUP", 0)).toBe("drain yes, kill no, exits 0");
  expect(send("SIGTERM", 0)).toBe("drain yes, kill yes, exits 0");
  expect(send("SIGINT", 0)).toBe("drain yes, kill yes, exits 1");
  expect(stops.drain.reason).toEqual(new InterruptedError("SIGHUP"));
  expect(stops.signal.reason).toEqual(new InterruptedError("SIGTERM"));
});

test("a Ctrl-C that npm hands on a second time is one wish", () => {
  const { send } = rig();
  send("SIGINT", 0);
  expect(send("SIGINT", 4)).toBe("drain yes, kill no, exits 0");
  expect(send("SIGINT", 1000)).toBe("drain yes, kill yes, exits 0");
  expect(send("SIGINT", 1004)).toBe("drain yes, kill yes, exits 0");
});

test("a command without draining is ended by the first signal", () => {
  const { stops, send } = rig();
  const { signal } = withoutDraining(stops);
  expect(signal.aborted).toBe(false);
  send("SIGINT", 0);
  expect(signal.aborted).toBe(true);
});

test("what happens is said once, and not after it was called off", () => {
  const said: string[] = [];
  const { stops, send } = rig();
  const io = { ...stops, err: (text: string) => said.push(text) };
  const callOff = sayWhenDraining(io);
  callOff();
  sayWhenDraining(io);
  send("SIGINT", 0);
  send("SIGINT", 1000);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("those under way are finished and graded");
});
