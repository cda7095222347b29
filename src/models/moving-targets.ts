import { UserError } from "../errors.ts";
import type { Catalogue } from "./catalogue.ts";
import { findModel } from "./catalogue.ts";

/** Ids behind which the server may put another model, or another endpoint, tomorrow (openrouter.md §4). */
export function isMovingTarget(id: string): boolean {
  return id === "openrouter/auto" || id.startsWith("~") || variant.test(id);
}

const variant = /:(nitro|floor|exacto)$/;

/** Refuses them all at once: the trials of a campaign must be of one model at one endpoint. */
export function requireFixedModels(ids: readonly string[], catalogue: Catalogue | null): void {
  const moving = ids.filter(isMovingTarget);
  if (moving.length === 0) return;
  const lines = moving.map((id) => `"${id}" is a moving target: ${hint(id, catalogue)}`);
  throw new UserError(lines.join("\n"));
}

function hint(id: string, catalogue: Catalogue | null): string {
  if (variant.test(id)) {
    const plain = id.replace(variant, "");
    return `name ${plain}, and an endpoint with models.settings.${plain}.pin if one is to be preferred.`;
  }
  const listed = catalogue === null ? undefined : findModel(id, catalogue);
  const fixed = listed?.canonicalSlug ?? null;
  return fixed === null || isMovingTarget(fixed) || fixed === id
    ? "name the model that is to be measured."
    : `it stands for ${fixed} now, name that.`;
}
