import type { Duplex } from "node:stream";
import { Handover } from "./handover.ts";
import type { CommandOutcome, CommandRequest, ReadOutcome, WriteOutcome } from "./port.ts";
import { SandboxError } from "./port.ts";
import { parseCommandReply, parseTransferReply, type StreamKind, type TransferReply } from "./replies.ts";
import { largestArchive, type SnapshotLimits } from "./snapshot-limits.ts";
import { type Pending, type ToolRequest, ToolStream } from "./tool-stream.ts";

/** Beyond a command's own limit: killing its processes, draining, a busy machine. */
const graceMs = 30_000;
const idleMs = 60_000;
const pieceBytes = 256 * 1024;
/** A tar ends in two blocks of zeros; what lacks them was cut off. */
const tarEndBytes = 1024;

/** The harness's end of the tool server (docker/server/toolserver.py). Requests are serial; later ones wait. */
export class ToolClient {
  private readonly stream: ToolStream;
  private turn: Promise<void> = Promise.resolve();

  constructor(socket: Duplex) {
    this.stream = new ToolStream(socket);
  }

  /** Resolves when the server has answered. */
  async ping(limitMs: number): Promise<void> {
    await this.inTurn(() => this.transfer({ kind: "P", body: {}, limitMs, limitIs: "total" }));
  }

  async command(request: CommandRequest, signal?: AbortSignal): Promise<CommandOutcome> {
    return this.inTurn(async () => {
      signal?.throwIfAborted();
      const kept: Record<StreamKind, Uint8Array[]> = { o: [], e: [], a: [] };
      const pending = await this.stream.open({
        kind: "R",
        body: request,
        limitMs: request.timeoutMs + graceMs,
        limitIs: "total",
        onData: (kind, bytes) => {
          if (kind === "o" || kind === "e" || kind === "a") kept[kind].push(bytes);
        },
      });
      const payload = await replyOrGiveUp(pending, signal);
      signal?.throwIfAborted();
      const join = (kind: StreamKind): Uint8Array => Buffer.concat(kept[kind]);
      return parseCommandReply(payload, { o: join("o"), e: join("e"), a: join("a") });
    });
  }

  async readFile(path: string, maxBytes: number): Promise<ReadOutcome> {
    return this.inTurn(async () => {
      const pieces: Uint8Array[] = [];
      const onData = (_kind: string, bytes: Uint8Array): void => void pieces.push(bytes);
      const body = { path, maxBytes };
      const { code, note } = await this.transfer({
        kind: "G",
        body,
        limitMs: idleMs,
        limitIs: "idle",
        onData,
      });
      if (code !== 0) return { kind: "refused", reason: note };
      return { kind: "read", bytes: Buffer.concat(pieces), totalBytes: Number(note) };
    });
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<WriteOutcome> {
    return this.inTurn(async () => {
      const { code, note } = await this.feed("W", { path }, [bytes]);
      return code === 0 ? { kind: "written" } : { kind: "refused", reason: note };
    });
  }

  /** What tar said about members it refused; empty when it took everything. */
  async unpack(tar: AsyncIterable<Uint8Array>, into: string): Promise<string> {
    return this.inTurn(async () => {
      const { code, note } = await this.feed("X", { into }, tar);
      if (code === 0) return "";
      return note === "" ? `tar ended with exit code ${code}` : note;
    });
  }

  /**
   * What of /workspace is within the limits, as a tar, after everything but the server was killed; `onLeftOut` hears of
   * the rest. Throws `SandboxError` for an archive that is truncated, or larger than the limits allow.
   */
  async *snapshot(limits: SnapshotLimits, onLeftOut?: (words: string) => void): AsyncGenerator<Uint8Array> {
    const handover = new Handover<Uint8Array>();
    const ended = this.inTurn(() => this.pack(handover, limits, onLeftOut)).then(
      () => {
        handover.finish();
      },
      (error: unknown) => {
        handover.fail(error);
      },
    );
    const mostBytes = largestArchive(limits);
    let end = new Uint8Array();
    let total = 0;
    try {
      for await (const bytes of handover) {
        total += bytes.length;
        if (total > mostBytes) throw new SandboxError(`the snapshot is over ${mostBytes} bytes`);
        end = Buffer.concat([end, bytes.subarray(-tarEndBytes)]).subarray(-tarEndBytes);
        yield bytes;
      }
    } finally {
      handover.discard();
      await ended;
    }
    if (end.length < tarEndBytes || end.some((byte) => byte !== 0)) {
      throw new SandboxError("the snapshot was cut off before the end of its archive");
    }
  }

  close(): void {
    this.stream.fail("the container was disposed of");
  }

  private async pack(
    handover: Handover<Uint8Array>,
    limits: SnapshotLimits,
    onLeftOut: ((words: string) => void) | undefined,
  ): Promise<void> {
    const onData = (_kind: string, bytes: Uint8Array): Promise<void> => handover.give(bytes);
    const { code, note } = await this.transfer({
      kind: "T",
      body: limits,
      limitMs: idleMs,
      limitIs: "idle",
      onData,
    });
    if (code !== 0) throw new SandboxError(`the snapshot could not be taken (exit code ${code}): ${note}`);
    if (note !== "") onLeftOut?.(note);
  }

  private async feed(
    kind: "W" | "X",
    body: unknown,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<TransferReply> {
    const pending = await this.stream.open({ kind, body, limitMs: idleMs, limitIs: "idle" });
    try {
      for await (const bytes of source) {
        for (let at = 0; at < bytes.length && !pending.settled(); at += pieceBytes) {
          await pending.send("s", bytes.subarray(at, at + pieceBytes));
        }
        if (pending.settled()) break;
      }
    } catch (error) {
      // Perhaps the source failed, not the container: the server must not take a part for the whole.
      if (!pending.settled()) {
        await pending.send("C");
        await pending.reply;
      }
      throw error;
    }
    if (!pending.settled()) await pending.send("s");
    return parseTransferReply(await pending.reply);
  }

  private async transfer(request: ToolRequest): Promise<TransferReply> {
    const pending = await this.stream.open(request);
    return parseTransferReply(await pending.reply);
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.turn.then(act);
    this.turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }
}

/** The reply; when `signal` aborts before it came, the request is given up and its reply says how it ended. */
async function replyOrGiveUp(pending: Pending, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const giveUp = (): void => {
    pending.send("C").catch(() => undefined); // a broken stream fails the reply, which is awaited
  };
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    return await pending.reply;
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}
