import { z } from "zod";

export const conclusionKindSchema = z.enum(["helps", "hurts", "no_meaningful_difference", "cannot_tell"]);
export type ConclusionKind = z.infer<typeof conclusionKindSchema>;
