/**
 * The plain function for any framework: a library and a goal in, a text for the prompt out, chosen and written as everywhere.
 */
import type { Library } from "../library/library.ts";
import { writeSection } from "limbeck-recorder/selection/section";
import { createSelector, type Choice, type Question, type SelectorOptions } from "limbeck-recorder/selection/select";
import type { JsonObject } from "limbeck-base/base/json";

export interface PromptSkills {
  /** Empty where nothing fits: then nothing should be added. */
  readonly text: string;
  readonly choice: Choice;
  /** For `Library.report` and the trajectory's `info.skillChoice`. */
  readonly record: ReturnType<typeof choiceRecord>;
}

/**
 * The skills of a library that fit, as one text for a prompt, with what to report afterwards.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bankSkills, readBank, openLibrary } from "limbeck/skill";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-skills-"));
 * const library = openLibrary(folder);
 * const skills = bankSkills(readBank({ general_skills: [{ id: "g1", title: "Look", principle: "Open what is closed." }] }));
 * for (const skill of skills) await library.add({ ...skill, status: "active" }, { by: "me", action: "added" });
 * const { text } = await skillsForPrompt(library, { goal: "find a cup" });
 * console.log(text.split("\n")[2]); // {"name":"bank-g1","level":"general","text":"Look: Open what is closed."}
 * rmSync(folder, { recursive: true });
 */
export async function skillsForPrompt(
  library: Library,
  question: Question,
  options: SelectorOptions = {},
): Promise<PromptSkills> {
  const { skills } = await library.list();
  const choice = createSelector(skills, options).select(question);
  return { text: writeSection(choice.skills), choice, record: choiceRecord(choice) };
}

/** What a trajectory keeps of a choice, so that its outcome reaches the skills. */
export function choiceRecord({ skills, candidates }: Choice): JsonObject {
  return {
    skills: skills.map(({ name, version, utility, notice }) => ({ name, version, utility, ...(notice && { notice }) })),
    candidates: candidates.slice(0, 8).map(({ name, utility }) => ({ name, utility })),
  };
}
