/**
 * The contract of a privileged context: what a teacher sees and the policy did not. It is written as skills, for the
 * whole episode or for single steps, so that one way of putting text into prompts serves all of them.
 */
import { option } from "limbeck-base/base/option";
import type { EntryInfo } from "limbeck-base/base/method-info";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { createSkill } from "../../skill/create-skill.ts";
import type { Analysis } from "../../skill/skill.ts";
import { labelOutcome } from "../../skill/outcome.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";

/** A successful demonstration of a task. */
export interface Solution {
  readonly plan: readonly string[];
  /** The action that finished the task: the answer, in worlds of questions. */
  readonly answer: string;
}

/** Whom a context may ask. */
export interface ContextSources {
  /** Undefined where the demonstrator fails; an error where the world has none. */
  readonly solve: (task: Task) => Promise<Solution | undefined>;
  /** Of `episodes`, in the light of `among`, which holds them and what was played with them. */
  readonly analyse: (
    episodes: readonly Trajectory[],
    among: readonly Trajectory[],
  ) => Promise<ReadonlyMap<string, Analysis>>;
}

/** Options of all contexts; each looks at its own. */
export const contextOptionTable = {
  steps: option.count(40, "most actions of a solution that are told"),
  siblings: option.flag(true, "feedback: show a successful episode of the same group"),
  refusals: option.flag(true, "feedback: say what the world answered to the episode's mistakes"),
  horizon: option.count(1, "future-observations: how many are shown"),
} as const satisfies OptionTable;

export type ContextOptions = OptionValues<typeof contextOptionTable>;

/** "plain": as sampled, nothing added. An episode that is not among the analyses has no such context. */
export type Privileged =
  | { readonly kind: "plain" }
  | { readonly kind: "told"; readonly analyses: ReadonlyMap<string, Analysis> };

export interface Context<Table extends OptionTable = OptionTable> {
  readonly info: EntryInfo & {
    /** When an episode has none. */
    readonly missing: string;
  };
  /** Those of `contextOptionTable` that it looks at. */
  readonly options: Table;
  /** `episodes` are those that are taught, `among` all of the update. */
  prepare(
    episodes: readonly Trajectory[],
    sources: ContextSources,
    options: OptionValues<Table>,
    among: readonly Trajectory[],
  ): Promise<Privileged>;
}

/** Makes an entry of the registry. */
export function defineContext<const Table extends OptionTable>(context: Context<Table>): Context<Table> {
  return context;
}

/** One text for the whole episode. */
export function toldAtOpening(trajectory: Trajectory, text: string): Analysis {
  return {
    trajectory: trajectory.id,
    outcome: labelOutcome(trajectory),
    episodeSkill: createSkill("episode", text, []),
    stepSkills: new Map(),
  };
}

/** The same text for every episode of a task, asked for once; episodes of tasks without one are left out. */
export async function toldByTask(
  episodes: readonly Trajectory[],
  textOf: (task: Task) => Promise<string | undefined>,
): Promise<Privileged> {
  const texts = new Map<string, string | undefined>();
  const analyses = new Map<string, Analysis>();
  for (const trajectory of episodes) {
    const { task } = trajectory;
    if (!texts.has(task.id)) texts.set(task.id, await textOf(task));
    const text = texts.get(task.id);
    if (text !== undefined && text.trim() !== "") analyses.set(trajectory.id, toldAtOpening(trajectory, text));
  }
  return { kind: "told", analyses };
}
