/** What can be written down of an episode, in the statistics analyst's words or in a text model's: a choice for policies too small to write. */
import type { Writer } from "../../skill/skill.ts";
import { avoidanceText, stepAdvice, workflowText } from "../../skill/statistics/wording.ts";
import type { Task } from "../../trajectory/index.ts";

export interface Deed {
  readonly action: string;
  readonly valid: boolean;
}

/**
 * Always the same kinds in the same order, whatever the outcome was: that it worked, that it was tried in vain, and its last
 * action alone. Which of them is true is for the policy to learn. Equal texts are offered once; at least one is.
 */
export function offersOf(deeds: readonly Deed[]): string[] {
  const done = deeds.filter(({ valid }) => valid).map(({ action }) => action);
  const last = done.at(-1);
  const texts = [workflowText(done), avoidanceText({ tried: done }), last === undefined ? "" : stepAdvice(last)];
  const offered = [...new Set(texts.filter((text) => text !== ""))];
  return offered.length > 0 ? offered : ["Nothing was done."];
}

const LONGEST_QUERY = 80;
const MOST_WORDS = 12;
const LONGEST_SKILL = 400;
const QUERY_TOKENS = 32;
const SKILL_TOKENS = 160;

/** One line of a few words; undefined where the model gave none that can be used. */
export async function writtenQuery(
  writer: Writer,
  { goal }: Pick<Task, "goal">,
  observation: string,
): Promise<string | undefined> {
  const { value } = await writer.write<string>({
    kind: "query",
    wanted:
      "An agent has a library of short skills, each kept with the task that it was written for. Write what to search it for, before the task of the record: a few words on one line, and nothing else.",
    material: [`task: ${goal}`, `saw: ${observation}`],
    goal,
    maxTokens: QUERY_TOKENS,
    read: (text) => {
      const line = text.trim().replace(/^["'`]+|["'`.]+$/g, "");
      const words = line.match(/[\p{L}\p{N}]+/gu) ?? [];
      const fits = !/[\n\r]/.test(line) && line.length <= LONGEST_QUERY && words.length <= MOST_WORDS;
      return fits && words.length > 0 ? line : undefined;
    },
    textsOf: (text) => [text],
  });
  return value;
}

/** What helps with such a task next time; undefined where the model gave nothing that can be used. */
export async function writtenSkill(
  writer: Writer,
  { goal }: Pick<Task, "goal">,
  deeds: readonly Deed[],
  success: boolean | null,
): Promise<string | undefined> {
  const { value } = await writer.write<string>({
    kind: "skill",
    wanted:
      "Write down in a few words what helps with such a task next time, by what the record shows. The words alone, one line.",
    material: [
      `task: ${goal}`,
      ...deeds.map(({ action, valid }) => `did${valid ? "" : " (refused)"}: ${action}`),
      `outcome: ${success === null ? "open" : success ? "solved" : "not solved"}`,
    ],
    goal,
    maxTokens: SKILL_TOKENS,
    read: (text) => {
      const line = text.replaceAll(/\s+/g, " ").trim();
      return line === "" || line.length > LONGEST_SKILL ? undefined : line;
    },
    textsOf: (text) => [text],
  });
  return value;
}
