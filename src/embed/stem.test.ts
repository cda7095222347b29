import { expect, test } from "vitest";
import { stem } from "./stem.ts";

test.each([
  ["cach", ["cache", "caches", "cached", "caching"]],
  ["query", ["query", "queries"]],
  ["validat", ["validate", "validates", "validated", "validating", "validation"]],
  ["plan", ["plan", "plans", "planned", "planning"]],
  ["push", ["push", "pushes", "pushed", "pushing"]],
  ["process", ["process", "processes", "processed", "processing"]],
  ["migrat", ["migrate", "migrating", "migration", "migrations"]],
  ["box", ["box", "boxes"]],
])("%s stands for its forms", (want, forms) => {
  expect(forms.map(stem)).toEqual(forms.map(() => want));
});

test.each(["tax", "bus", "status", "class", "string", "thing", "python3", "größen", "данные", "is"])(
  "%s stays as it is",
  (word) => {
    expect(stem(word)).toBe(word);
  },
);
