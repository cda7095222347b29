import type { ChatModel } from "../models/port.ts";

/**
 * What a reader should know about who judges whom: a judge that is a model under test judges itself, and judges of one
 * vendor, or the same judge twice, tend to err together. Stand-ins are not compared: a report names them anyway.
 */
export function panelWarnings(
  judges: readonly Pick<ChatModel, "id" | "standIn">[],
  models: readonly string[],
): readonly string[] {
  const ids = judges.filter(({ standIn }) => !standIn).map(({ id }) => id);
  const under = new Set(models.map(modelName));
  const own = [...new Set(ids)].filter((id) => under.has(modelName(id)));
  const vendors = new Map<string, string[]>();
  for (const id of ids) vendors.set(vendorOf(id), [...(vendors.get(vendorOf(id)) ?? []), id]);
  const shared = [...vendors].filter(([, of]) => of.length > 1);
  return [
    ...own.map((id) => `judge.models: ${id} is a model under test too, so it judges its own work.`),
    ...shared.map(
      ([vendor, of]) =>
        `judge.models: ${of.join(" and ")} come from one vendor (${vendor}), so their errors may agree. Take judges from three.`,
    ),
  ];
}

/** Without what routes the request: `vendor/name:free` is the same model as `vendor/name`. */
function modelName(id: string): string {
  return (id.split(":")[0] ?? id).toLowerCase();
}

function vendorOf(id: string): string {
  return modelName(id).split("/")[0] ?? id;
}
