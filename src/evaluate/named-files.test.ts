import { expect, test } from "vitest";
import { namedFiles } from "./named-files.ts";

const paths = ["SKILL.md", "references/winds.md", "scripts/my run.sh", ".hidden"].map(
  (path) => `/skill/tide/${path}`,
);
const [skill = "", winds = "", script = ""] = paths;

test.each<[command: string, named: string[]]>([
  ["cat /skill/tide/SKILL.md", [skill]],
  ["cat '/skill/tide/SKILL.md' | head -20", [skill]],
  ['cat "/skill/tide/scripts/my run.sh"', [script]],
  ["cat /skill/tide/scripts/my\\ run.sh", [script]],
  ["bash /skill/tide/scripts/my\\ run.sh --x", [script]],
  ["cat ../skill/tide/SKILL.md", [skill]],
  ["cd /skill/tide && cat SKILL.md references/winds.md", [skill, winds]],
  ["(cd /skill; cd tide; less ./SKILL.md)", [skill]],
  ["cd /skill/tide\ncat references/*.md", [winds]],
  ["cat /skill/*/SKILL.md", [skill]],
  ["cat /skill/tide/*.md", [skill]],
  ["cat /skill/tide/[A-Z]*.m[!x]", [skill]],
  ["cat /skill/tide/references/????s.md", [winds]],
  ["for f in /skill/tide/references/*; do cat $f; done", [winds]],
  ["head -c 20 </skill/tide/SKILL.md", [skill]],
  ["sort --files0-from=/skill/tide/SKILL.md", [skill]],
  ['echo "$(cat /skill/tide/SKILL.md)"', [skill]],
  ["LC_ALL=C grep -n x /skill/tide/SKILL.md", [skill]],
  ["python3 - <<'X'\nprint(open('/skill/tide/SKILL.md').read())\nX", [skill]],
  ["python3 -c 'import pathlib; print(pathlib.Path(\"/skill/tide/SKILL.md\").read_text())'", [skill]],
  ["cp /skill/tide/SKILL.md .", [skill]],
  ["find /skill/tide/SKILL.md -exec cat {} +", [skill]],
  ["ls -la /skill/tide/SKILL.md", []],
  ["ls /skill/tide/*", []],
  ["wc -c /skill/tide/SKILL.md; stat /skill/tide/SKILL.md", []],
  ["test -f /skill/tide/SKILL.md && echo /skill/tide/SKILL.md", []],
  ["if [ -f /skill/tide/SKILL.md ]; then true; fi", []],
  ["find /skill -name SKILL.md", []],
  ["cat SKILL.md", []],
  ["cat /workspace/skill/tide/SKILL.md", []],
  ["cat /skill/tide/SKILL.md.bak /skill/tide/SKILL.mdx", []],
  ["cat /other/skill/tide/SKILL.md", []],
  ["cat /skill/*.md", []],
  ["cat /skill/tide/*idden", []],
  ["cd /skill/tide; cd -; cat references/wind", []],
  ["", []],
  ["'", []],
  ["cat \\", []],
])("%j names %j", (command, named) => {
  expect(namedFiles(command, paths)).toEqual(named);
});

test("a command of a megabyte and a pattern of many stars take no time to speak of", () => {
  expect(namedFiles(`echo ${"a".repeat(1_000_000)}`, paths)).toEqual([]);
  expect(namedFiles(`cat ${"'".repeat(100_001)}`, paths)).toEqual([]);
  const long = `/skill/tide/${"a".repeat(2000)}`;
  expect(namedFiles(`cat /skill/tide/${"*a".repeat(1000)}b`, [long])).toEqual([]);
});
