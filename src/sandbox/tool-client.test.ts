import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { collect } from "../testing/sandbox-containers.ts";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";
import { SandboxError } from "./port.ts";
import { ToolClient } from "./tool-client.ts";

/** The engine's end of an attached stream, with a server made of `answer`. */
class Wire extends Duplex {
  private readonly reader = new FrameReader();
  private readonly answer: (frame: Frame, wire: Wire) => void;
  readonly received: Frame[] = [];

  constructor(answer: (frame: Frame, wire: Wire) => void) {
    super();
    this.answer = answer;
  }

  override _read(): void {
    // data is pushed when it comes
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    for (const frame of this.reader.push(chunk)) {
      this.received.push(frame);
      this.answer(frame, this);
    }
    done();
  }

  say(stream: 1 | 2, bytes: Uint8Array): void {
    const header = Buffer.alloc(8);
    header[0] = stream;
    header.writeUInt32BE(bytes.length, 4);
    this.push(Buffer.concat([header, bytes]));
  }

  reply(kind: string, id: number, content: unknown): void {
    const payload = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
    this.say(1, encodeFrame({ kind, id, payload }));
  }
}

const request = { command: "true", timeoutMs: 1000, maxOutputBytes: 10 };
const done = { code: 0, note: "" };
const limits = { bytes: 1 << 20, entries: 10, depth: 5, nameBytes: 100 };
const endOfTar = new Uint8Array(1024);
const endOfMiB = new Uint8Array(1 << 20);

test("the end of the container fails what is under way, with its last words, and everything after it", async () => {
  const client = new ToolClient(
    new Wire((_, wire) => {
      wire.say(2, Buffer.from("Traceback: boom\n"));
      wire.push(null);
    }),
  );
  await expect(client.command(request)).rejects.toThrow(
    /the container has ended; its server said: Traceback: boom/,
  );
  await expect(client.readFile("/x", 1)).rejects.toThrow(SandboxError);
});

test.each([
  ["a broken connection", (wire: Wire) => wire.destroy(new Error("ECONNRESET")), /ECONNRESET/],
  [
    "an end inside a message",
    (wire: Wire) => wire.push(Buffer.from([1, 0, 0])) && wire.push(null),
    /inside a message/,
  ],
  ["garbage", (wire: Wire) => wire.push(Buffer.alloc(64, 0x41)), /damaged/],
  [
    "a reply that is none",
    (wire: Wire) => {
      wire.reply("x", 1, { exitCode: "0" });
    },
    /reply that is none/,
  ],
  [
    "a refusal",
    (wire: Wire) => {
      wire.reply("f", 1, Buffer.from("no such request"));
    },
    /refused: no such request/,
  ],
])("%s is a SandboxError", async (_name, act, words) => {
  const client = new ToolClient(
    new Wire((_frame, wire) => {
      act(wire);
    }),
  );
  const running = client.command(request);
  await expect(running).rejects.toThrow(SandboxError);
  await expect(running).rejects.toThrow(words);
});

test("a server that never answers is given up", async () => {
  const client = new ToolClient(new Wire(() => undefined));
  await expect(client.ping(50)).rejects.toThrow("did not answer within 0.05 s");
});

test.each([
  ["whole", [Buffer.from("data"), endOfTar], done, null],
  ["without its end", [Buffer.from("data")], done, /cut off/],
  ["empty", [], done, /cut off/],
  ["of more than the limits can give", Array<Uint8Array>(3).fill(endOfMiB), done, /over \d+ bytes/],
  ["that tar gave up", [endOfTar], { code: 2, note: "tar: disk full" }, /tar: disk full/],
])("a snapshot %s", async (_name, pieces, end, words) => {
  const client = new ToolClient(
    new Wire(({ id }, wire) => {
      for (const piece of pieces) wire.reply("o", id, piece);
      wire.reply("x", id, end);
    }),
  );
  const taking = collect(client.snapshot(limits));
  if (words === null) expect(await taking).toEqual(Buffer.concat(pieces));
  else await expect(taking).rejects.toThrow(words);
});

test("a server that ends a transfer early is not sent the rest", async () => {
  const wire = new Wire(({ kind, id }, end) => {
    if (kind === "s") end.reply("x", id, { code: 1, note: "No space left on device" });
  });
  const client = new ToolClient(wire);
  const endless = async function* (): AsyncGenerator<Uint8Array> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      yield new Uint8Array(1024);
    }
  };
  expect(await client.unpack(endless(), "/workspace")).toBe("No space left on device");
  expect(wire.received.length).toBeLessThan(20);
});

test("an abort gives the command up and waits for its end", async () => {
  const wire = new Wire(({ kind, id }, end) => {
    if (kind !== "C") return;
    const perStream = { o: 0, e: 0, a: 0 };
    const flags = { timedOut: false, outOfMemory: false, leftProcesses: false, seconds: 1 };
    end.reply("x", id, { exitCode: null, signal: "SIGKILL", ...flags, heads: perStream, totals: perStream });
  });
  const client = new ToolClient(wire);
  const controller = new AbortController();
  const running = client.command(request, controller.signal);
  setTimeout(() => {
    controller.abort(new Error("enough"));
  }, 10);
  await expect(running).rejects.toThrow("enough");
  expect(wire.received.map(({ kind }) => kind)).toEqual(["R", "C"]);
});
