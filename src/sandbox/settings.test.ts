import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { checkSettings, defaultSettings } from "./settings.ts";

test("the defaults and the smallest memory that fits are accepted", () => {
  checkSettings(defaultSettings);
  checkSettings({ ...defaultSettings, memoryMiB: 640 });
  checkSettings({ ...defaultSettings, workspace: "volume", workspaceMiB: 8192, memoryMiB: 384 });
});

test.each([
  [{ memoryMiB: 639 }, /sandbox\.memoryMiB: 639 is too small.*at least 640/],
  [{ workspaceMiB: 1024 }, /sandbox\.memoryMiB: 1024 .*at least 1408/],
  [{ workspace: "volume" as const, memoryMiB: 383 }, /sandbox\.memoryMiB: 383 .*a \/tmp of.*at least 384\./],
  [{ packages: ["ffmpeg", "x; rm -rf /"] }, /sandbox\.packages: "x; rm -rf \/"/],
])("%j is refused with the field's name and what to do", (change, words) => {
  expect(() => {
    checkSettings({ ...defaultSettings, ...change });
  }).toThrow(UserError);
  expect(() => {
    checkSettings({ ...defaultSettings, ...change });
  }).toThrow(words);
});
