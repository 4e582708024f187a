/** The conditions of the card of a world's model: which advice an episode is given. */
import { pick } from "../../../packages/base/src/base/rng.ts";
import type { Env, Task } from "limbeck";
import { placeboFor } from "../../../packages/core/src/eval/lift/placebo.ts";
import type { Condition } from "../evaluate.ts";
import { writeHint } from "../hint-words.ts";
import type { WordingSet } from "../skill-words.ts";
import type { StartingWorld } from "./starting-world.ts";
import { failedPlan, scout, tellWorkflow } from "./world-lessons.ts";

export function worldConditions(world: StartingWorld): Readonly<Record<string, Condition>> {
  const workflow =
    (set: WordingSet): NonNullable<Condition["skill"]> =>
    async (env, task, rng) => {
      const plan = await scout({ world, env, task, rng: rng.split("scout") });
      return plan.length === 0 ? undefined : tellWorkflow(world, plan, rng.split("words"), set);
    };
  return {
    none: {},
    workflow: { skill: workflow("trained") },
    workflowKeptBack: { skill: workflow("keptBack") },
    hints: { hint: hints(world, "trained") },
    hintsKeptBack: { hint: hints(world, "keptBack") },
    misleading: {
      skill: async (env, task, rng) => {
        const plan = await failedPlan({ world, env, task, rng: rng.split("failed") });
        return plan === undefined ? undefined : tellWorkflow(world, plan, rng.split("words"), "trained");
      },
    },
    foreign: { skill: async (env, task, rng) => workflow("trained")(env, (await other(env, task, rng)) ?? task, rng) },
    placebo: {
      skill: async (env, task, rng) => {
        const text = (await workflow("trained")(env, task, rng)) ?? "";
        return placeboFor(text, (words) => words.split(" ").length, task.id);
      },
    },
    filler: { skill: async (_env, _task, rng) => Array.from({ length: 10 + rng.int(30) }, () => "so").join(" ") },
  };
}

function hints(world: StartingWorld, set: WordingSet): NonNullable<Condition["hint"]> {
  return (task, rng) => {
    const knowing = world.start(task, rng.split("knowing"));
    return (seen) => writeHint(knowing.see(seen).best, rng, set);
  };
}

async function other(env: Env, task: Task, rng: Parameters<typeof pick>[1]): Promise<Task | undefined> {
  const others: Task[] = [];
  for await (const one of env.tasks("train", { offset: rng.int(400), count: 6 }))
    if (one.id !== task.id) others.push(one);
  return pick(others, rng);
}
