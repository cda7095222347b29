import { createConnection, createServer, type Server, type Socket } from "node:net";
import { engineAddresses } from "../sandbox/engine.ts";

/** A way to the engine, as a unix socket of its own, that can be slow, be cut, and remembers what was asked. */
export class EngineProxy {
  /** Method and path of each request. */
  readonly asked: string[] = [];
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  /** Listens at `path`; every byte is `delayMs` late, in both directions. */
  static async at(path: string, delayMs: number): Promise<EngineProxy> {
    const proxy = new EngineProxy(delayMs);
    await new Promise<void>((resolve) => proxy.server.listen(path, resolve));
    return proxy;
  }

  private constructor(delayMs: number) {
    this.server = createServer((client) => {
      const engine = createConnection(localSocket());
      client.on("data", (bytes: Buffer) => {
        this.asked.push(...(/^[A-Z]+ \/\S+/.exec(bytes.toString("latin1")) ?? []));
      });
      this.pass(client, engine, delayMs);
      this.pass(engine, client, delayMs);
    });
  }

  /** Breaks every connection; later ones are let through. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private pass(from: Socket, to: Socket, delayMs: number): void {
    this.sockets.add(from);
    from.on("data", (bytes: Buffer) => setTimeout(() => to.writable && to.write(bytes), delayMs));
    from.on("error", () => to.destroy()); // the other end is told by its own close
    from.on("close", () => {
      this.sockets.delete(from);
      setTimeout(() => to.destroy(), delayMs);
    });
  }
}

function localSocket(): string {
  const [address = ""] = engineAddresses(null, process.env);
  if (!address.startsWith("unix://"))
    throw new Error(`these tests need an engine on a unix socket, not ${address}`);
  return address.slice("unix://".length);
}
