import { InfrastructureError, messageOf } from "../errors.ts";
import { NoEngineError } from "./away.ts";
import { bounded } from "./bounded.ts";
import {
  type Container,
  type ContainerRequest,
  type ImageRecord,
  type Sandbox,
  SandboxError,
} from "./port.ts";

/** One engine of several. */
export type Endpoint = {
  /** Its address, for messages. */
  readonly name: string;
  readonly sandbox: Sandbox & { readonly close: () => Promise<void> };
  /** Containers alive there at once. */
  readonly concurrency: number;
  /** Whether its engine answers now. Never throws; bounded. */
  readonly answers: () => Promise<boolean>;
};

export type SpreadOptions = {
  /** Warnings: an endpoint that is left out, or back. */
  readonly log: (line: string) => void;
  /** Milliseconds on any clock that goes on. */
  readonly now?: () => number;
};

type Member = {
  readonly endpoint: Endpoint;
  live: number;
  /** When it was found not to answer; null while it is used. */
  outSince: number | null;
  /** What it was left out for last. */
  fault: unknown;
};

/** No container is kept for longer, so that a place is free by then. */
const placeMs = 24 * 3600 * 1000;
const lookAgainMs = 30_000;

/**
 * One sandbox over several: each container goes to the endpoint with the largest free share, and waits while none has a
 * place. An endpoint that stops answering is left out until it answers again; its containers are lost, each a
 * `SandboxError` for who uses it. Throws `InfrastructureError` when the images are not of one recipe.
 */
export function spreadSandbox(
  endpoints: readonly Endpoint[],
  options: SpreadOptions,
): Sandbox & { readonly close: () => Promise<void> } {
  const [first] = endpoints;
  if (first === undefined) throw new Error("a sandbox over no endpoint");
  const { image } = first.sandbox;
  const other = endpoints.find(({ sandbox }) => sandbox.image.recipe !== image.recipe);
  if (other !== undefined) {
    throw new InfrastructureError(
      `the sandbox images of ${first.name} and ${other.name} differ in their recipe; every endpoint must have the same`,
    );
  }
  return new Spread(endpoints, image, options);
}

class Spread implements Sandbox {
  readonly image: ImageRecord;
  readonly endpoints: NonNullable<Sandbox["endpoints"]>;
  private readonly members: readonly Member[];
  private readonly log: (line: string) => void;
  private readonly now: () => number;
  private waiting: (() => void)[] = [];

  constructor(endpoints: readonly Endpoint[], image: ImageRecord, options: SpreadOptions) {
    this.image = image;
    this.members = endpoints.map((endpoint) => ({ endpoint, live: 0, outSince: null, fault: null }));
    this.endpoints = this.members.map((member) => ({
      name: member.endpoint.name,
      sandbox: {
        image: member.endpoint.sandbox.image,
        open: (request, signal) => this.openAmong([member], request, signal),
      },
    }));
    this.log = options.log;
    this.now = options.now ?? (() => performance.now());
  }

  open(request: ContainerRequest, signal?: AbortSignal): Promise<Container> {
    return this.openAmong(this.members, request, signal);
  }

  private async openAmong(
    among: readonly Member[],
    request: ContainerRequest,
    signal: AbortSignal | undefined,
  ): Promise<Container> {
    for (;;) {
      const member = await this.place(among, signal);
      try {
        const container = await member.endpoint.sandbox.open(request, signal);
        return held(container, () => {
          this.release(member);
        });
      } catch (error) {
        this.release(member);
        const fails = error instanceof SandboxError && !(await member.endpoint.answers());
        if (!fails) throw error;
        this.leaveOut(member, error);
      }
    }
  }

  /** Closes those that answer; what another still holds is removed at the next start. */
  async close(): Promise<void> {
    const ended = await Promise.allSettled(
      this.members.map(async ({ endpoint }) => {
        if (await endpoint.answers()) await endpoint.sandbox.close();
        else this.log(`${endpoint.name} does not answer: what it still holds is removed by the next start`);
      }),
    );
    for (const end of ended) if (end.status === "rejected") throw end.reason;
  }

  /** A place at one of them, which the caller must give back. Throws `NoEngineError` when none of them answers. */
  private async place(among: readonly Member[], signal: AbortSignal | undefined): Promise<Member> {
    for (;;) {
      signal?.throwIfAborted();
      await this.lookAgain(among);
      const member = freest(among);
      if (member !== null) {
        member.live++;
        return member;
      }
      if (among.every(({ outSince }) => outSince !== null)) {
        const names = among.map(({ endpoint }) => endpoint.name).join(", ");
        throw new NoEngineError(`no engine answers any more: ${names}`, { cause: among[0]?.fault });
      }
      await bounded("a place for a container", placeMs, signal, () => this.change());
    }
  }

  /** Takes those back that answer again: at once when no other is left, else every half minute. */
  private async lookAgain(among: readonly Member[]): Promise<void> {
    const allOut = among.every(({ outSince }) => outSince !== null);
    const due = among.filter(
      ({ outSince }) => outSince !== null && (allOut || this.now() - outSince >= lookAgainMs),
    );
    await Promise.all(
      due.map(async (member) => {
        member.outSince = this.now(); // others need not look as well
        if (!(await member.endpoint.answers())) return;
        member.outSince = null;
        this.log(`${member.endpoint.name} answers again and is used again`);
        this.wake();
      }),
    );
  }

  private leaveOut(member: Member, error: unknown): void {
    if (member.outSince === null) {
      this.log(`${member.endpoint.name} does not answer and is left out: ${messageOf(error)}`);
    }
    member.outSince = this.now();
    member.fault = error;
    this.wake();
  }

  private release(member: Member): void {
    member.live--;
    this.wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function freest(among: readonly Member[]): Member | null {
  const free = among.filter(
    ({ live, outSince, endpoint }) => outSince === null && live < endpoint.concurrency,
  );
  const share = ({ live, endpoint }: Member): number => live / endpoint.concurrency;
  return free.reduce<Member | null>(
    (best, member) => (best === null || share(member) < share(best) ? member : best),
    null,
  );
}

/** The container, which gives its place back once, when it is disposed of. */
function held(container: Container, release: () => void): Container {
  let isHeld = true;
  return {
    run: (request, signal) => container.run(request, signal),
    readFile: (path, maxBytes) => container.readFile(path, maxBytes),
    writeFile: (path, bytes) => container.writeFile(path, bytes),
    unpack: (tar, into) => container.unpack(tar, into),
    snapshot: (onLeftOut) => container.snapshot(onLeftOut),
    dispose: () => {
      if (isHeld) release();
      isHeld = false;
      return container.dispose();
    },
  };
}
