import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { type CatalogueEntry } from "./catalogue.ts";
import { isMovingTarget, requireFixedModels } from "./moving-targets.ts";

test.each<[string, boolean]>([
  ["openrouter/auto", true],
  ["~acme/coder-latest", true],
  ["acme/coder:nitro", true],
  ["acme/coder:floor", true],
  ["acme/coder:exacto", true],
  ["acme/coder", false],
  ["acme/coder:free", false],
  ["acme/coder:thinking", false],
  ["acme/nitro", false],
  ["openrouter/automatic", false],
])("%s is a moving target: %s", (id, expected) => {
  expect(isMovingTarget(id)).toBe(expected);
});

test("all are refused at once, each with what to write instead", () => {
  const latest: CatalogueEntry = {
    id: "~acme/coder-latest",
    canonicalSlug: "acme/coder-20260127",
    ownedBy: null,
    parameters: null,
    contextLength: null,
    trainedLength: null,
    prices: null,
    expires: null,
  };
  const catalogue = new Map([[latest.id, latest]]);
  const ids = ["acme/coder:nitro", "acme/coder", latest.id, "openrouter/auto"];
  expect(() => {
    requireFixedModels(ids, catalogue);
  }).toThrow(
    new UserError(
      '"acme/coder:nitro" is a moving target: name acme/coder, and an endpoint with ' +
        "models.settings.acme/coder.pin if one is to be preferred.\n" +
        '"~acme/coder-latest" is a moving target: it stands for acme/coder-20260127 now, name that.\n' +
        '"openrouter/auto" is a moving target: name the model that is to be measured.',
    ),
  );
  expect(() => {
    requireFixedModels(["~acme/coder-latest"], null);
  }).toThrow(/name the model that is to be measured/);
  expect(() => {
    requireFixedModels(["acme/coder", "acme/coder:free"], catalogue);
  }).not.toThrow();
});
