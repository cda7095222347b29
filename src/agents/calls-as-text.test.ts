import { expect, test } from "vitest";
import { holdsCallAsText } from "./calls-as-text.ts";

test.each([
  ['<tool_call>\n{"name": "bash", "arguments": {}}\n</tool_call>', true],
  ["<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0", true],
  ['functions.bash:0{"command":"ls"}', true],
  ["<function=bash>", true],
  ['{"name": "bash", "arguments": {"command": "ls"}}', true],
  ['```json\n{"name": "bash", "parameters": {"command": "ls"}}\n```', true],
  ["I ran bash and wrote out.txt.", false],
  ['{"name": "Ada", "arguments": []}', false],
  ['The file now holds {"name": "bash", "arguments": 1}.', false],
  ["I documented functions.bash in the README.", false],
])("%j: %s", (text, expected) => {
  expect(holdsCallAsText(text, ["bash", "read_file", "write_file"])).toBe(expected);
});
