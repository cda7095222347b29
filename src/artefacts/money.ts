import { z } from "zod";
import { requestRoleSchema, spendingSchema } from "./ledger.ts";
import { armSchema } from "./trial.ts";

/** What a campaign cost, as its report tells it. Void attempts cost too. */
export const moneySchema = z.object({
  all: spendingSchema,
  /** By what requests were for; only roles that made one. */
  roles: z.array(z.object({ role: requestRoleSchema, spending: spendingSchema })),
  /** Of the agents alone, by arm. */
  arms: z.array(z.object({ arm: armSchema, spending: spendingSchema })),
});
export type Money = z.infer<typeof moneySchema>;
