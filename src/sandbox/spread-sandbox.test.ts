import { expect, test } from "vitest";
import { fakeContainer } from "../testing/fake-container.ts";
import { openPatiently } from "./patient-sandbox.ts";
import { type Container, type ContainerRequest, SandboxError } from "./port.ts";
import { type Endpoint, spreadSandbox } from "./spread-sandbox.ts";

const request: ContainerRequest = { role: "agent", labels: { campaign: "c", trial: "t" }, skill: null };

/** An endpoint in memory: counts what it opened; `state` decides how it fares. */
class FakeEndpoint implements Endpoint {
  readonly name: string;
  readonly concurrency: number;
  state: "well" | "dead" | "refuses" = "well";
  opened = 0;
  disposed = 0;
  closed = 0;
  readonly sandbox: Endpoint["sandbox"];

  constructor(name: string, concurrency: number, recipe = "r") {
    this.name = name;
    this.concurrency = concurrency;
    this.sandbox = {
      image: { id: `sha256:${name}`, recipe, base: "registry" },
      open: () => this.open(),
      close: () => {
        this.closed++;
        return Promise.resolve();
      },
    };
  }

  answers(): Promise<boolean> {
    return Promise.resolve(this.state !== "dead");
  }

  private open(): Promise<Container> {
    if (this.state !== "well") return Promise.reject(new SandboxError(`${this.name} is ${this.state}`));
    this.opened++;
    const dispose = (): Promise<void> => {
      this.disposed++;
      return Promise.resolve();
    };
    return Promise.resolve({ ...fakeContainer({ run: () => ({ stdout: this.name }) }), dispose });
  }
}

function spreadOver(...endpoints: readonly FakeEndpoint[]) {
  const log: string[] = [];
  const clock = { now: 0 };
  const sandbox = spreadSandbox(endpoints, { log: (line) => log.push(line), now: () => clock.now });
  return { sandbox, log, clock };
}

/** Whether a promise is still open once everything else that can go on has gone on. */
async function waits(promise: Promise<unknown>): Promise<boolean> {
  const turn = new Promise((resolve) => setImmediate(resolve, "open"));
  return (await Promise.race([promise, turn])) === "open";
}

test("each endpoint can be asked by itself, within its limit, and says when it does not answer", async () => {
  const [first, second] = [new FakeEndpoint("first", 1), new FakeEndpoint("second", 4)];
  const { sandbox } = spreadOver(first, second);
  const [alone] = sandbox.endpoints ?? [];
  expect(sandbox.endpoints?.map(({ name, sandbox: { image } }) => [name, image.id])).toEqual([
    ["first", "sha256:first"],
    ["second", "sha256:second"],
  ]);
  const held = await alone!.sandbox.open(request);
  const next = alone!.sandbox.open(request);
  expect(await waits(next)).toBe(true);
  expect([first.opened, second.opened]).toEqual([1, 0]);
  await held.dispose();
  await (await next).dispose();
  first.state = "dead";
  await expect(alone!.sandbox.open(request)).rejects.toThrow("no engine answers any more: first");
  await sandbox.open(request);
  expect(second.opened).toBe(1);
});

test("containers go where the largest share is free, and never beyond an endpoint's limit", async () => {
  const [small, large] = [new FakeEndpoint("small", 1), new FakeEndpoint("large", 3)];
  const { sandbox } = spreadOver(small, large);
  const open = await Promise.all([1, 2, 3, 4].map(() => sandbox.open(request)));
  expect([small.opened, large.opened]).toEqual([1, 3]);
  const [fifth, sixth] = [sandbox.open(request), sandbox.open(request)];
  expect(await waits(fifth)).toBe(true);
  await open[0]?.dispose();
  await open[0]?.dispose();
  await fifth;
  expect(await waits(sixth)).toBe(true); // disposed of twice, but one place
  await open[1]?.dispose();
  await sixth;
  expect([small.opened + large.opened, small.disposed + large.disposed]).toEqual([6, 3]);
});

test("the container works as that of its endpoint", async () => {
  const { sandbox } = spreadOver(new FakeEndpoint("only", 1));
  const container = await sandbox.open(request);
  const { stdout } = await container.run({ command: "true", timeoutMs: 1, maxOutputBytes: 9 });
  expect(Buffer.from(stdout.head).toString()).toBe("only");
});

test("who waits for a place can be called off, and takes none", async () => {
  const only = new FakeEndpoint("only", 1);
  const { sandbox } = spreadOver(only);
  const first = await sandbox.open(request);
  const controller = new AbortController();
  const waiting = sandbox.open(request, controller.signal);
  expect(await waits(waiting)).toBe(true);
  const reason = new Error("enough");
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await first.dispose();
  await sandbox.open(request);
  expect(only.opened).toBe(2);
});

test("an endpoint that dies is left out with one warning; who waits for it goes elsewhere", async () => {
  const [one, two] = [new FakeEndpoint("one", 1), new FakeEndpoint("two", 1)];
  const { sandbox, log } = spreadOver(one, two);
  const [first, second] = await Promise.all([sandbox.open(request), sandbox.open(request)]);
  const waiting = sandbox.open(request);
  expect(await waits(waiting)).toBe(true);
  one.state = "dead";
  await first.dispose(); // its stream broke: the trial is void, its place is free
  expect(await waits(waiting)).toBe(true);
  expect(log).toEqual(["one does not answer and is left out: one is dead"]);
  await second.dispose();
  await waiting;
  expect([one.opened, two.opened]).toEqual([1, 2]);
  expect(log).toHaveLength(1);
});

test("a container that cannot be started on a living endpoint is an error, and the endpoint stays", async () => {
  const one = new FakeEndpoint("one", 1);
  const { sandbox, log } = spreadOver(one);
  one.state = "refuses";
  await expect(sandbox.open(request)).rejects.toThrow("one is refuses");
  one.state = "well";
  await sandbox.open(request);
  expect(log).toEqual([]);
});

test("when none answers that is said with its cause, and one that is back is used at once", async () => {
  const [one, two] = [new FakeEndpoint("one", 2), new FakeEndpoint("two", 2)];
  const { sandbox, log } = spreadOver(one, two);
  one.state = two.state = "dead";
  const attempt = sandbox.open(request);
  await expect(attempt).rejects.toThrow(SandboxError);
  await expect(attempt).rejects.toThrow("no engine answers any more: one, two");
  await expect(attempt).rejects.toMatchObject({ cause: { message: "one is dead" } });
  two.state = "well";
  await sandbox.open(request);
  expect([one.opened, two.opened]).toEqual([0, 1]);
  expect(log.at(-1)).toBe("two answers again and is used again");
});

test("who opens patiently waits for the only engine, whatever it was lost with", async () => {
  const only = new FakeEndpoint("only", 1);
  const { sandbox, log } = spreadOver(only);
  only.state = "dead";
  const opening = openPatiently(sandbox)(request);
  await expect.poll(() => log).toEqual(["only does not answer and is left out: only is dead"]);
  only.state = "well";
  await opening;
  expect(only.opened).toBe(1);
});

test("one of several that is back is used again after half a minute", async () => {
  const [one, two] = [new FakeEndpoint("one", 4), new FakeEndpoint("two", 4)];
  const { sandbox, clock } = spreadOver(one, two);
  one.state = "dead";
  await sandbox.open(request);
  one.state = "well";
  clock.now = 29_999;
  await sandbox.open(request);
  expect([one.opened, two.opened]).toEqual([0, 2]);
  clock.now = 30_000;
  await sandbox.open(request);
  expect([one.opened, two.opened]).toEqual([1, 2]);
});

test("close closes those that answer and names the others", async () => {
  const [one, two] = [new FakeEndpoint("one", 1), new FakeEndpoint("two", 1)];
  const { sandbox, log } = spreadOver(one, two);
  two.state = "dead";
  await sandbox.close();
  expect([one.closed, two.closed]).toEqual([1, 0]);
  expect(log).toEqual(["two does not answer: what it still holds is removed by the next start"]);
});

test("images of two recipes are refused", () => {
  expect(() => spreadOver(new FakeEndpoint("one", 1), new FakeEndpoint("two", 1, "other"))).toThrow(
    "the sandbox images of one and two differ in their recipe",
  );
});
