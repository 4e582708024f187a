/** The conditions of the model card: which advice an episode is given. */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng, Env, Task } from "limbeck";
import { appliances } from "../../packages/worlds/src/household/families.ts";
import { readGoal } from "../../packages/worlds/src/household/goal.ts";
import { placeboFor } from "../../packages/core/src/eval/lift/placebo.ts";
import type { Condition } from "./evaluate.ts";
import { writeHint } from "./hint-words.ts";
import { startNovice } from "./novice.ts";
import { lessonsOfFailure, tryGame, withoutDetours, type Try } from "./scouting.ts";
import { writeAvoidance, writeGeneral, writeWorkflow, type WordingSet } from "./skill-words.ts";

export const conditions = {
  none: {},
  workflow: { skill: workflow("trained") },
  workflowKeptBack: { skill: workflow("keptBack") },
  general: { skill: general("trained") },
  generalKeptBack: { skill: general("keptBack") },
  avoidance: { skill: avoidance("trained") },
  avoidanceKeptBack: { skill: avoidance("keptBack") },
  hints: { hint: hints("trained") },
  hintsKeptBack: { hint: hints("keptBack") },
  misleading: { skill: misleading },
  foreign: { skill: foreign },
  placebo: { skill: placebo },
  filler: { skill: async (_env, _task, rng) => Array.from({ length: 10 + rng.int(30) }, () => "so").join(" ") },
} as const satisfies Readonly<Record<string, Condition>>;

/** Before every decision, by one who knows. */
function hints(set: WordingSet): NonNullable<Condition["hint"]> {
  return (task, rng) => {
    const knowing = startNovice(task.goal, rng.split("knowing"), { knows: true });
    return (seen) => writeHint(knowing.next(seen), rng, set);
  };
}

/** The commands of one who succeeded in this game, without detours. */
function workflow(set: WordingSet): NonNullable<Condition["skill"]> {
  return async (env, task, rng) => {
    const { actions } = await tryGame(env, task, rng.split("scout"), true);
    return writeWorkflow(withoutDetours(actions), rng.split("words"), set);
  };
}

/** What the errand turns on, without a name of this game. */
function general(set: WordingSet): NonNullable<Condition["skill"]> {
  return async (_env, task, rng) => {
    const goal = readGoal(task.goal);
    const appliance = goal.treatment === undefined ? undefined : appliances[goal.treatment].toLowerCase();
    return writeGeneral(goal, appliance, rng, set);
  };
}

/** The wrong turn of a failed try and what to do instead; no workflow. */
function avoidance(set: WordingSet): NonNullable<Condition["skill"]> {
  return async (env, task, rng) => {
    const failed = await failedTry(env, task, rng);
    return failed === undefined ? undefined : writeAvoidance(lessonsOfFailure(failed), rng.split("words"), set);
  };
}

/** Sentences about something else, as many words as a workflow has: the placebo of `limbeck lift`. */
async function placebo(env: Env, task: Task, rng: Rng): Promise<string | undefined> {
  const text = (await workflow("trained")(env, task, rng)) ?? "";
  return placeboFor(text, (words) => words.split(" ").length, task.id);
}

/** A failed try, told as if it had worked. */
async function misleading(env: Env, task: Task, rng: Rng): Promise<string | undefined> {
  const failed = await failedTry(env, task, rng);
  return failed === undefined ? undefined : writeWorkflow(failed.actions.slice(0, 8), rng.split("words"), "trained");
}

/** A workflow that worked in another game: other things, other rooms. */
async function foreign(env: Env, task: Task, rng: Rng): Promise<string | undefined> {
  const offset = rng.int(5_000);
  const others: Task[] = [];
  for await (const other of env.tasks("train", { offset, count: 6 })) if (other.goal !== task.goal) others.push(other);
  const other = pick(others, rng);
  if (other === undefined) return undefined;
  const { actions } = await tryGame(env, other, rng.split("scout"), true);
  return writeWorkflow(withoutDetours(actions), rng.split("words"), "trained");
}

async function failedTry(env: Env, task: Task, rng: Rng): Promise<Try | undefined> {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const tried = await tryGame(env, task, rng.split(`failed ${attempt}`), false);
    if (!tried.success) return tried;
  }
  return undefined;
}
