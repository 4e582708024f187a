/** Which way of choosing a proof belongs to: what was proven where one thing chose is not proven where another does. */
import type { OfferedSkill } from "./offered-skill.ts";

/** This selection and its version. Raise the number where a question gets other skills, or the same in other words. */
export const SELECTOR = "words 1";
/** Folders, files, resources and prompts of skills: what reads them chooses by name and description. */
export const AGENTS_CHOICE = "the agent";

/** Of a skill that was proven where something else chose; undefined where nothing was proven, or the same chose. */
export function selectorNotice({ lift }: Pick<OfferedSkill, "lift">, chooses: string): string | undefined {
  if (lift?.verdict !== "helps") return undefined;
  const { selector } = lift.setting;
  if (selector === chooses) return undefined;
  // Text of a file that anyone may have written.
  const named = typeof selector === "string" && /^[\w .+-]{1,60}$/.test(selector) ? selector : "not noted";
  return `proven with another selector (${named})`;
}
