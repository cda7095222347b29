/** One rule of a scenario; the head of fake-openrouter.mjs says what `if` and `do` may hold. */
export type FakeRule = {
  readonly if?: Readonly<Record<string, unknown>>;
  readonly call?: number | string | readonly (number | string)[];
  readonly turn?: number | string | readonly (number | string)[];
  readonly times?: number;
  readonly per?: "conversation";
  readonly do: Readonly<Record<string, unknown>>;
};

/** A model of the scenario, merged over the fake's defaults. */
export type FakeModel = { readonly rules?: readonly FakeRule[]; readonly [setting: string]: unknown };

export type FakeScenario = {
  readonly seed?: number;
  readonly account?: Readonly<Record<string, unknown>>;
  readonly padding?: number;
  readonly generation_lag_ms?: number;
  readonly allow_unknown_models?: boolean;
  readonly rules?: readonly FakeRule[];
  readonly models?: Readonly<Record<string, FakeModel>>;
};

/** One API request the server has seen. `body` is what was sent; secrets in `headers` are redacted. */
export type FakeLogEntry = {
  readonly n: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly model?: string;
  readonly turn?: number;
  readonly rule?: string;
  readonly fault?: string;
  readonly status?: number | string;
  readonly aborted?: boolean;
  readonly warnings: readonly string[];
};

export type RunningFake = {
  readonly port: number;
  readonly url: string;
  /** What a client is given: ends in /api/v1. */
  readonly baseURL: string;
  readonly fake: {
    readonly log: readonly FakeLogEntry[];
    readonly spent: number;
    readonly maxInFlight: number;
    /** Replaces the scenario and resets every counter. */
    load(scenario: FakeScenario): void;
  };
  close(): Promise<void>;
};

export const FAULTS: Readonly<Record<string, unknown>>;
export const QUIRKS: Readonly<Record<string, unknown>>;

/** Starts the server on loopback; port 0 (the default) takes a free one. */
export function startFake(options?: {
  readonly port?: number;
  readonly scenario?: FakeScenario;
}): Promise<RunningFake>;
