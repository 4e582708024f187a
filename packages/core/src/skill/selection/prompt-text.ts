/**
 * What lift and rollouts put into a prompt: the section that every other way delivers, to the letter, so that what is measured is what
 * is delivered. A small model of this machine reads the one line that it was trained on, in lift as in rollouts.
 */
import { writeSection } from "limbeck-recorder/selection/section";
import type { Chosen } from "limbeck-recorder/selection/select";
import { sectionTemplates } from "../templates.ts";

export type PromptForm = "section" | "line";

/** By who reads it: only models of this machine count their tokens. */
export function promptForm({ countTokens }: { readonly countTokens?: unknown }): PromptForm {
  return countTokens === undefined ? "section" : "line";
}

/** Undefined where nothing was chosen: then the prompt stays as it is. */
export function promptText(
  skills: readonly Pick<Chosen, "name" | "level" | "text" | "notice">[],
  form: PromptForm,
): string | undefined {
  if (skills.length === 0) return undefined;
  return form === "section"
    ? writeSection(skills)
    : sectionTemplates.compact.episode(skills.map(({ text }) => text).join(" "));
}
