/** What people say of a run. */
import { z } from "zod";

export const labels = z.object({
  /** Counts the changes; 0 where there are none. */
  version: z.int(),
  tags: z.array(z.string().min(1).max(40)).max(20),
  note: z.string().max(4_000),
  pinned: z.boolean(),
  archived: z.boolean(),
});
export type Labels = z.infer<typeof labels>;

export const NO_LABELS: Labels = { version: 0, tags: [], note: "", pinned: false, archived: false };

/** What is named is changed. `version` is the one that was seen; where there is a newer one the change is refused. */
export const labelChange = labels.partial().required({ version: true });
export type LabelChange = z.infer<typeof labelChange>;
