import { expect, test } from "vitest";
import { nearNumbers, nearWord } from "./code-literals.ts";

test.each([
  { written: "12", near: ["13", "11"] },
  { written: "0", near: ["1"] },
  { written: "1", near: ["2", "0"] },
  { written: "-5", near: ["-6", "-4"] },
  { written: "9.99", near: ["10.00", "9.98"] },
  { written: "1.00", near: ["1.01", "0.99"] },
  { written: ".5", near: [".6", ".4"] },
  { written: "3.", near: ["4.", "2."] },
  { written: "2.5e3", near: ["2.6e3", "2.4e3"] },
  { written: "0.0", near: ["0.1"] },
  { written: "007", near: ["008", "006"] },
  { written: "0xFF", near: ["0x100", "0xFE"] },
  { written: "0x1f", near: ["0x20", "0x1e"] },
  { written: "0b10", near: ["0b11", "0b01"] },
  { written: "0o17", near: ["0o20", "0o16"] },
  { written: "1_000", near: ["1_001", "999"] },
  { written: "10n", near: ["11n", "9n"] },
  { written: "2j", near: ["3j", "1j"] },
  { written: "9007199254740993", near: ["9007199254740994", "9007199254740992"] },
  { written: "1e-9", near: [] },
  { written: "16#ff", near: [] },
  { written: "0b12", near: [] },
  { written: "", near: [] },
  { written: ".", near: [] },
  { written: "-", near: [] },
  { written: "_", near: [] },
  { written: "1.2.3", near: [] },
  { written: "٣", near: [] },
  { written: "1".repeat(101), near: [] },
])("$written may wrongly have come to $near", ({ written, near }) => {
  expect(nearNumbers(written)).toEqual(near);
});

const nothing = (): boolean => false;

test.each([
  { text: "abc", leaveAlone: nothing, became: "acc" },
  { text: "z9", leaveAlone: nothing, became: "z0" },
  { text: "Z", leaveAlone: nothing, became: "A" },
  { text: "¦ a ¦", leaveAlone: nothing, became: "¦ b ¦" },
  { text: "🍐a", leaveAlone: nothing, became: "🍐b" },
  { text: "\\na", leaveAlone: (at: number) => at === 1, became: "\\nb" },
  { text: "; ¦ é", leaveAlone: nothing, became: null },
  { text: "a", leaveAlone: () => true, became: null },
  { text: "", leaveAlone: nothing, became: null },
])("$text becomes $became", ({ text, leaveAlone, became }) => {
  expect(nearWord(text, leaveAlone)).toBe(became);
});
