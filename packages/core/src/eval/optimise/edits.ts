/** Bounded edits of one skill's text: a line is added, deleted or replaced. What they come from is untrusted, so all of it is bounded and screened. */
import { z } from "zod";
import { parseObject } from "limbeck-base/base/json";
import { screenSkill } from "../../skill/screen/screen.ts";

const line = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[^\n\r]+$/);
const editSchema = z.discriminatedUnion("edit", [
  /** Below the line that is named; at the end where none is. */
  z.object({ edit: z.literal("add"), text: line, below: line.optional() }),
  z.object({ edit: z.literal("delete"), line }),
  z.object({ edit: z.literal("replace"), line, text: line }),
]);
export type SkillEdit = z.infer<typeof editSchema>;

/** A skill that grows with every night would end as a book. */
const LONGEST_TEXT = 8_000;

/** The first edits of a model's answer, one JSON object a line; what else it says is passed over. */
export function readEdits(answer: string, most: number): SkillEdit[] {
  const lines = answer.slice(0, 64 * 1024).split("\n");
  return lines
    .flatMap((one) => {
      const parsed = editSchema.safeParse(parseObject(one));
      return parsed.success ? [parsed.data] : [];
    })
    .slice(0, most);
}

/** The text after as many edits as fit; those whose line is not there are left out. */
export function applyEdits(text: string, edits: readonly SkillEdit[]): string {
  let lines = text.split("\n");
  for (const edit of edits) {
    const named = edit.edit === "add" ? edit.below : edit.line;
    const at = named === undefined ? lines.length - 1 : lines.findIndex((one) => one.trim() === named);
    if (at === -1) continue;
    const kept = edit.edit === "add" ? [lines[at] ?? ""] : [];
    lines = lines.toSpliced(at, 1, ...kept, ...(edit.edit === "delete" ? [] : [edit.text]));
  }
  return lines.join("\n");
}

/** Why a text may not become a skill's; empty where it may. */
export function faultsOf(text: string): readonly string[] {
  if (text.trim() === "") return ["nothing would be left"];
  if (text.length > LONGEST_TEXT) return [`it would be ${text.length} characters; at most ${LONGEST_TEXT}`];
  return screenSkill(text);
}
