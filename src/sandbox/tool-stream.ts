import type { Duplex } from "node:stream";
import { messageOf } from "../errors.ts";
import { demultiplex } from "./demux.ts";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";
import { SandboxError } from "./port.ts";
import { Watchdog } from "./watchdog.ts";

const keptStderrBytes = 4096;

export type ToolRequest = {
  /** See the head of docker/server/toolserver.py. */
  readonly kind: "P" | "R" | "G" | "W" | "X" | "T";
  readonly body: unknown;
  /** In all for `total`; for `idle` without a byte in either direction, waiting for `onData` apart. */
  readonly limitMs: number;
  readonly limitIs: "total" | "idle";
  /** Called with each frame of data; the stream is read on when it resolves. */
  readonly onData?: (kind: string, bytes: Uint8Array) => Promise<void> | void;
};

/** A request under way. */
export type Pending = {
  /** The payload of its last frame. Rejects with `SandboxError`. */
  readonly reply: Promise<Uint8Array>;
  readonly settled: () => boolean;
  /** `s` adds data, empty data ends it; `C` gives the request up, and its reply still comes. */
  readonly send: (kind: "s" | "C", bytes?: Uint8Array) => Promise<void>;
};

type Exchange = {
  readonly id: number;
  readonly onData: (kind: string, bytes: Uint8Array) => Promise<void>;
  readonly settle: (end: Frame | SandboxError) => void;
};

/**
 * The attached stream of one container: one request at a time, and the one error that ends it. Whatever goes wrong with
 * the stream (its end included) fails the request under way and every later one.
 */
export class ToolStream {
  private readonly socket: Duplex;
  private exchange: Exchange | null = null;
  private failure: SandboxError | null = null;
  private stderr = new Uint8Array();
  private wakeWriter: (() => void) | null = null;
  private lastId = 0;

  constructor(socket: Duplex) {
    this.socket = socket;
    socket.on("drain", () => this.wakeWriter?.());
    socket.on("error", (error) => {
      this.fail(`the connection to the container broke: ${error.message}`, error);
    });
    socket.on("close", () => {
      this.fail("the container's stream was closed");
    });
    void this.pump();
  }

  /** Sends a request. The one before must have been answered. */
  async open(request: ToolRequest): Promise<Pending> {
    if (this.exchange !== null) throw new Error("a second request before the first was answered");
    const id = ++this.lastId;
    const idle = request.limitIs === "idle";
    const watchdog = new Watchdog(request.limitMs, () => {
      this.fail(`the container's server did not answer within ${request.limitMs / 1000} s`);
    });
    let settled = false;
    const reply = new Promise<Uint8Array>((resolve, reject) => {
      this.exchange = {
        id,
        onData: async (kind, bytes) => {
          if (idle) watchdog.pause();
          await request.onData?.(kind, bytes);
          if (idle) watchdog.restart();
        },
        settle: (end) => {
          settled = true;
          watchdog.stop();
          if (end instanceof SandboxError) reject(end);
          else if (end.kind === "x") resolve(end.payload);
          else reject(new SandboxError(`the container's server refused: ${textOf(end.payload)}`));
        },
      };
    });
    reply.catch(() => undefined); // the caller hears of it from `send` or from `reply`, whichever it awaits first
    const send = async (kind: string, payload: Uint8Array): Promise<void> => {
      await this.write({ kind, id, payload });
      if (idle) watchdog.restart();
    };
    await send(request.kind, new TextEncoder().encode(JSON.stringify(request.body)));
    return { reply, settled: () => settled, send: (kind, bytes = new Uint8Array()) => send(kind, bytes) };
  }

  /** Ends the stream, with this as the reason for every request now and later. */
  fail(message: string, cause?: unknown): void {
    if (this.failure !== null) return;
    const said = textOf(this.stderr).trim();
    this.failure = new SandboxError(said === "" ? message : `${message}; its server said: ${said}`, {
      cause,
    });
    this.socket.destroy();
    this.wakeWriter?.();
    this.settle(this.failure);
  }

  private settle(end: Frame | SandboxError): void {
    const { exchange } = this;
    this.exchange = null;
    exchange?.settle(end);
  }

  /** Resolves when the stream takes more. */
  private async write(frame: Frame): Promise<void> {
    if (this.failure === null && !this.socket.write(encodeFrame(frame))) {
      await new Promise<void>((resolve) => {
        this.wakeWriter = resolve;
      });
      this.wakeWriter = null;
    }
    this.throwIfFailed();
  }

  private throwIfFailed(): void {
    if (this.failure === null) return;
    this.settle(this.failure);
    throw this.failure;
  }

  private async pump(): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const { stream, bytes } of demultiplex(this.socket)) {
        if (stream === "stderr") this.keepStderr(bytes);
        else for (const frame of reader.push(bytes)) await this.deliver(frame);
      }
      this.fail("the container has ended");
    } catch (error) {
      this.fail(messageOf(error), error);
    }
  }

  private async deliver(frame: Frame): Promise<void> {
    if (this.exchange?.id !== frame.id) return;
    if (frame.kind === "x" || frame.kind === "f") this.settle(frame);
    else await this.exchange.onData(frame.kind, frame.payload);
  }

  private keepStderr(bytes: Uint8Array): void {
    this.stderr = Buffer.concat([this.stderr, bytes]).subarray(-keptStderrBytes);
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
