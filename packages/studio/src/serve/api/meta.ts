/** What a page wants to know first. */
import { z } from "zod";

export const meta = z.object({
  version: z.string(),
  /** Another one after a restart: what was kept in memory (games) is gone then. */
  server: z.string(),
  store: z.string(),
  /** Whether episodes may be judged, runs labelled and skills decided on (`--write`). */
  writable: z.boolean(),
  /** Whether trainings may be started (`--train`). */
  trainable: z.boolean(),
  library: z.string().nullable(),
  now: z.string(),
});
export type Meta = z.infer<typeof meta>;
