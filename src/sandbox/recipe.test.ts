import { expect, test } from "vitest";
import { textOf } from "../artefacts/tree.ts";
import { extraContext, readContexts, recipeOf } from "./recipe.ts";

test("the recipe changes with everything the image is made from, and with nothing else", async () => {
  const contexts = await readContexts();
  const plain = recipeOf(contexts, [], null);
  const changed = (which: "packages" | "server") => ({
    ...contexts,
    [which]: contexts[which].map((entry) => ({ ...entry, bytes: Buffer.from("changed") })),
  });
  const others = [
    recipeOf(contexts, ["ffmpeg"], null),
    recipeOf(contexts, ["ffmpeg", "sox"], null),
    recipeOf(contexts, [], "sha256:1"),
    recipeOf(changed("packages"), [], null),
    recipeOf(changed("server"), [], null),
  ];
  expect(new Set([plain, ...others]).size).toBe(6);
  expect(recipeOf(await readContexts(), [], null)).toBe(plain);
  expect(recipeOf(contexts, ["sox", "ffmpeg", "sox"], null)).toBe(others[1]);
});

test("the contexts hold the tool server, sp-run and the package list, and no compiled leftovers", async () => {
  const { packages, server } = await readContexts();
  expect(packages.map(({ path }) => path)).toEqual(["Dockerfile", "packages.txt"]);
  expect(server.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["Dockerfile", "server/toolserver.py", "server/sp-run"]),
  );
  expect(server.filter(({ path }) => path.includes("pycache"))).toEqual([]);
  expect(textOf(extraContext(["sox", "ffmpeg"]), "Dockerfile")).toContain(
    "--no-install-recommends sox ffmpeg ",
  );
});
