import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { z } from "zod";

const folder = process.env.GOLDEN_DIR ?? join(import.meta.dirname, "golden");

type Tolerance = { readonly abs: number; readonly rel: number };

const vectorSchema = z.object({
  id: z.string(),
  input: z.record(z.string(), z.unknown()),
  expected: z.record(z.string(), z.unknown()),
  /** Lies over the file's; some groups have kinds of their own. */
  tolerance: z.record(z.string(), z.number()).optional(),
});
export type GoldenVector = z.infer<typeof vectorSchema>;

const fileSchema = z.object({
  tolerance: z.record(z.string(), z.number()),
  groups: z.record(z.string(), z.array(vectorSchema)),
});

/** Groups of stats.json; a group or file that is absent from `GOLDEN_DIR` is said and gives no vector. */
export function goldenGroup(name: string): readonly GoldenVector[] {
  const path = join(folder, "stats.json");
  const there = ["skills", "clustering.json", "stats.json"].filter((one) => existsSync(join(folder, one)));
  if (there.length === 0) throw new Error(`nothing golden in ${folder}`);
  if (!existsSync(path)) {
    console.log(`stats.json, ${name}: absent in ${folder}`);
    return [];
  }
  const file = fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  const vectors = file.groups[name] ?? [];
  console.log(
    `stats.json, ${name}: ${vectors.length === 0 ? "absent" : `${vectors.length} vector(s) compared`}`,
  );
  return vectors.map((vector) => ({ ...vector, tolerance: { ...file.tolerance, ...vector.tolerance } }));
}

/** Every member of `wanted` that `got` has too, within max(abs, rel · |want|); null is undefined. */
export function expectGolden(
  got: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
  tolerance: GoldenVector["tolerance"],
): void {
  for (const [name, value] of Object.entries(got)) {
    expect(Object.keys(wanted), name).toContain(name);
    expectNear(value, wanted[name], { abs: 0, rel: 0, ...tolerance }, name);
  }
}

function expectNear(got: unknown, want: unknown, tolerance: Tolerance, name: string): void {
  if (typeof want === "number") {
    expect(got, name).toBeTypeOf("number");
    const allowed = Math.max(tolerance.abs, tolerance.rel * Math.abs(want));
    const away = Math.abs(Number(got) - want);
    expect(away, `${name}: got ${String(got)}, want ${want}`).toBeLessThanOrEqual(allowed);
  } else if (Array.isArray(want)) {
    expect(got, name).toHaveLength(want.length);
    for (const [at, one] of want.entries())
      expectNear((got as unknown[])[at], one, tolerance, `${name}[${at}]`);
  } else {
    expect(got, name).toEqual(want);
  }
}
