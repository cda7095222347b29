import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashTree } from "../artefacts/tree.ts";
import { InterruptedError, UserError } from "../errors.ts";
import { readGitTree } from "./git-tree.ts";
import { readTree } from "./tree.ts";

let repository = "";
let skill = "";
/** Hash of the skill's folder as it lay there when `v1` was tagged. */
let hashAtV1 = "";

function git(...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...who, ...args], { cwd: repository, env, encoding: "utf8" }).trim();
}

function commit(message: string): string {
  git("add", "-A");
  git("commit", "-qm", message);
  return git("rev-parse", "HEAD");
}

beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), "skillproof git-"));
  skill = join(repository, "skills", "tide");
  git("init", "-q", "-b", "main");
  await writeFile(join(repository, "README.md"), "first\n");
  commit("before the skill");
  git("tag", "v0");
  await mkdir(join(skill, "scripts", "in ner"), { recursive: true });
  await writeFile(join(skill, "SKILL.md"), "# Tide\r\n\r\nOne.\r\n");
  await writeFile(join(skill, "empty"), "");
  await writeFile(join(skill, "binary.bin"), Buffer.from([0, 10, 255, 13, 10, 0]));
  await writeFile(join(skill, "copy.bin"), Buffer.from([0, 10, 255, 13, 10, 0]));
  await writeFile(join(skill, "scripts", "in ner", "größe \n.sh"), "#!/bin/sh\n");
  await writeFile(join(skill, "scripts", "run.sh"), "#!/bin/sh\n");
  await chmod(join(skill, "scripts", "run.sh"), 0o755);
  await symlink("../SKILL.md", join(skill, "scripts", "link.md"));
  commit("the skill");
  git("tag", "-a", "v1", "-m", "annotated");
  hashAtV1 = hashTree(await readTree(skill));
  await writeFile(join(skill, "SKILL.md"), "# Tide\n\nTwo.\n");
  await rm(join(skill, "empty"));
  commit("edited");
  // Not committed, so in no version.
  await writeFile(join(skill, "draft.md"), "draft\n");
});
afterAll(() => rm(repository, { recursive: true, force: true }));

test.each(["v1", "HEAD~1", "main^", "v1^{commit}"])(
  "%s is the folder as it was, byte for byte",
  async (ref) => {
    const { commit: id, tree } = await readGitTree(skill, ref);
    expect(id).toBe(git("rev-parse", `${ref}^{commit}`));
    expect(hashTree(tree)).toBe(hashAtV1);
    expect(tree.map(({ path }) => path)).toEqual([...tree.map(({ path }) => path)].sort());
  },
);

test("the latest commit leaves out what is not committed, and the work tree stays as it is", async () => {
  const before = hashTree(await readTree(skill));
  const { tree } = await readGitTree(skill, "main");
  expect(tree.map(({ path }) => path)).not.toContain("draft.md");
  expect(tree.map(({ path }) => path)).not.toContain("empty");
  expect(hashTree(await readTree(skill))).toBe(before);
  expect(git("status", "--porcelain")).toBe("?? skills/tide/draft.md");
});

test("a skill at the root of its repository", async () => {
  const { tree } = await readGitTree(repository, "v0");
  expect(tree.map(({ path }) => path)).toEqual(["README.md"]);
});

test.each([
  ["v9", /git knows no commit called "v9"/],
  ["v0", /at v0 \([0-9a-f]{12}\) there was no folder skills\/tide\//],
  ["HEAD:README.md", /"HEAD:README\.md" is not a git ref/],
  ["v0..v1", /is not a git ref/],
  ["--help", /"--help" is not a git ref/],
  ["", /"" is not a git ref/],
])("%s is refused", async (ref, message) => {
  const refused = readGitTree(skill, ref);
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(message);
});

test("a folder outside git, and one that is not there", async () => {
  const outside = await mkdtemp(join(tmpdir(), "skillproof-no-git-"));
  try {
    await expect(readGitTree(outside, "main")).rejects.toThrow(
      /not in a git work tree, so it has no versions/,
    );
    await expect(readGitTree(join(outside, "gone"), "main")).rejects.toThrow(/git cannot be executed there/);
  } finally {
    await rm(outside, { recursive: true, force: true });
  }
});

test("neither a repository inside nor a file kept elsewhere can be delivered", async () => {
  git("checkout", "-q", "-b", "odd");
  try {
    git("update-index", "--add", "--cacheinfo", `160000,${git("rev-parse", "v0")},skills/tide/inner`);
    git("commit", "-qm", "a repository inside");
    await expect(readGitTree(skill, "odd")).rejects.toThrow(/holds another repository \(inner\)/);
    git("update-index", "--force-remove", "skills/tide/inner");
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n";
    await writeFile(join(skill, "model.bin"), pointer);
    git("add", "skills/tide/model.bin");
    git("commit", "-qm", "kept elsewhere");
    await expect(readGitTree(skill, "odd")).rejects.toThrow(/model\.bin is kept outside git \(LFS\)/);
  } finally {
    git("checkout", "-q", "-f", "main");
  }
});

test("variables of a git hook do not lead to another repository, nor does a monitor's program come in", async () => {
  const saved = process.env["GIT_DIR"];
  process.env["GIT_DIR"] = join(repository, "nowhere");
  try {
    git(
      "--git-dir",
      join(repository, ".git"),
      "config",
      "core.fsmonitor",
      `touch ${join(repository, "called")}; false`,
    );
    expect(hashTree((await readGitTree(skill, "v1")).tree)).toBe(hashAtV1);
    expect((await readTree(repository)).map(({ path }) => path)).not.toContain("called");
  } finally {
    if (saved === undefined) delete process.env["GIT_DIR"];
    else process.env["GIT_DIR"] = saved;
    git("config", "--unset", "core.fsmonitor");
  }
});

test("an abort ends it", async () => {
  await expect(readGitTree(skill, "v1", AbortSignal.abort())).rejects.toThrow(InterruptedError);
});
