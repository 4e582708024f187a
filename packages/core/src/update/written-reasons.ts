/** Reasons why one action was better than others, by a writer, with the template's where it fails. */
import type { Contrast } from "../distill/imitation/early-experience.ts";
import type { Writer } from "../skill/skill.ts";
import { LONGEST_SEEN, sentence } from "./assistants.ts";

/** One reason for each contrast; empty texts where there is none. */
export async function writtenReasons(
  writer: Writer,
  found: readonly Contrast[],
  template: (contrast: Contrast) => string,
  signal: AbortSignal,
): Promise<string[]> {
  return await Promise.all(
    found.map(async (contrast) => {
      const { goal, observation, expert, others } = contrast;
      const tried = ({ action, observation: seen }: { action: string; observation: string }): string =>
        `${JSON.stringify(action)} led to ${JSON.stringify(seen.slice(0, LONGEST_SEEN))}`;
      const { value } = await writer.write<string>(
        {
          kind: "reason",
          wanted:
            "Say in one short sentence why the first action was better than the others here. Answer with the sentence alone.",
          material: [
            `task: ${goal}`,
            `saw: ${observation.slice(0, LONGEST_SEEN)}`,
            tried(expert),
            ...others.map(tried),
          ],
          brief: [
            `task: ${goal}`,
            `saw: ${observation}`,
            ...[expert, ...others].flatMap((one, at) => [`c${at}: ${one.action}`, `led to: ${one.observation}`]),
          ],
          goal,
          read: sentence,
          textsOf: (reason) => [reason],
          template: () => template(contrast),
        },
        { signal },
      );
      return value ?? "";
    }),
  );
}
