import { afterAll, beforeAll, beforeEach, test, vi } from "vitest";
import {
  doctorKey,
  DoctorRig,
  expectFault,
  type Fault,
  soundScenario,
  tested,
} from "../../testing/doctor-command.ts";
import type { FakeScenario } from "../../testing/fake-openrouter.mjs";

vi.setConfig({ testTimeout: 60_000 });

let rig: DoctorRig;
beforeAll(async () => {
  rig = await DoctorRig.open();
});
afterAll(() => rig.close());
beforeEach(() => rig.begin());

const withModels = (models: NonNullable<FakeScenario["models"]>): FakeScenario => ({
  models: { ...soundScenario.models, ...models },
});

const faults: readonly Fault[] = [
  {
    what: "no key for a server elsewhere",
    change: { models: { baseUrl: "https://models.invalid/v1", apiKeyEnv: "OTHER_KEY" } },
    row: {
      check: "key OTHER_KEY",
      state: "fail",
      found: /OTHER_KEY is not set/,
      mend: /^echo 'OTHER_KEY=…' >> .env$/,
    },
    code: 2,
  },
  {
    what: "a key that the server refuses",
    scenario: { ...soundScenario, account: { reject_keys: [doctorKey] } },
    row: {
      check: "model server",
      state: "fail",
      found: /key from OPENROUTER_API_KEY/,
      mend: /^curl -sS http/,
    },
    code: 2,
  },
  {
    what: "a key with nothing left",
    scenario: { ...soundScenario, account: { key_limit: 0 } },
    row: { check: "model server", state: "fail", found: /used up its limit/, mend: /^curl/ },
    code: 2,
  },
  {
    what: "a server that is down",
    change: { models: { baseUrl: "http://127.0.0.1:1/v1" } },
    row: {
      check: "model server",
      state: "fail",
      found: /127\.0\.0\.1:1/,
      mend: /^curl -sS http:\/\/127\.0\.0\.1:1\/v1\/models$/,
    },
    code: 3,
  },
  {
    what: "no models named",
    change: { evaluation: { models: [] } },
    row: { check: "models", state: "fail", found: /none named/, mend: /^evaluation\.models: / },
    code: 2,
  },
  {
    what: "a misspelt model",
    change: { evaluation: { models: ["delta/codr"] } },
    row: { check: "model delta/codr", state: "fail", found: /did you mean delta\/coder/, mend: /^curl/ },
    code: 2,
  },
  {
    what: "a model without tools",
    scenario: withModels({ [tested]: { supported_parameters: ["temperature"] } }),
    row: { check: `model ${tested}`, state: "fail", found: /does not take tools/, mend: /^curl/ },
    code: 2,
  },
  {
    what: "a model without prices",
    change: { models: { dialect: "openai" } },
    scenario: withModels({ [tested]: { pricing: null } }),
    row: {
      check: `model ${tested}`,
      state: "warn",
      found: /no price is known/,
      mend: /^models\.settings\.delta\/coder\.prices: /,
    },
    code: 0,
  },
  {
    what: "a key limit below the estimate",
    scenario: { ...soundScenario, account: { key_limit: 0.001 } },
    row: {
      check: "estimate",
      state: "warn",
      found: /the key may spend \$0\.00\d* more, which is less/,
      mend: /budgetUsd/,
    },
    code: 0,
  },
  {
    what: "a budget below the estimate",
    change: { evaluation: { budgetUsd: 0.001 } },
    row: {
      check: "estimate",
      state: "warn",
      found: /the budget of \$0\.001 is less/,
      mend: /^evaluation\.budgetUsd: [1-9]\d*$/,
    },
    code: 0,
  },
  {
    what: "no author",
    change: { authoring: { model: undefined } },
    row: {
      check: "author",
      state: "warn",
      found: /no benchmark can be written/,
      mend: /^authoring\.model: /,
    },
    code: 0,
  },
  {
    what: "vectors by a model that is not listed",
    change: { embedding: { provider: "openai", model: "acme/no-vectors" } },
    row: { check: "embedding", state: "fail", found: /does not list acme\/no-vectors/, mend: /^curl/ },
    code: 2,
  },
  {
    what: "vectors by no model",
    change: { embedding: { provider: "openai" } },
    row: { check: "embedding", state: "fail", found: /not set/, mend: /^embedding\.model: / },
    code: 2,
  },
];

test.each(faults)("$what", (fault) => expectFault(fault, rig));
