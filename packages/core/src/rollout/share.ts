/** SAPO: own rollouts of a task are joined by rollouts that other runs have made of it. */
import { isAbort, throwIfAborted } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { shuffle } from "limbeck-base/base/rng";
import type { PolicyRef, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { range } from "./ask.ts";
import { judgeFinished } from "../walk/judge.ts";
import { notedEpisodes } from "./effect.ts";
import { defineStrategy, type Scope } from "./strategy.ts";

export const share = defineStrategy({
  info: {
    title: "Sharing (SAPO)",
    paper: "Sharing is Caring: Efficient LM Post-Training with Collective RL Experience Sharing",
    confidence: "paper",
    source: "arXiv 2509.08721, section 3.2, algorithm 1",
    formula: [
      "`own` fresh rollouts of every task, and up to `others` that the pool has of it, drawn at random",
      "a shared rollout joins the group of the task; this run's judge scores it anew",
    ],
    meaning: "Trains on a mix of own rollouts and those that other runs have put into the store.",
    departures: [
      "Only rollouts of the same model are taken, because tokens of another are not this policy's.",
      "Their log-probabilities stay those of the version that drew them, as ratios need; the trainer computes its own.",
      "They are stored again under this run's group, with info.shared saying where they came from.",
      "A pool that fails has nothing to give: no run waits for another.",
      "A training takes from the other runs of its store, newest versions first; one that keeps nothing, or plays elsewhere (--lag, --fleet), has a second group of its own policy as its pool.",
      "Tasks are shared where runs have the same ones: --set tasks.seed=N, and a pool of them (tasks.pool).",
    ],
  },
  needs: ["pool"],
  effect: {
    name: "sharedEpisodes",
    counts: "episodes of other runs",
    remedy: "The pool had no scored episode of these tasks by the same model.",
    count: notedEpisodes("shared"),
  },
  options: {
    own: option.count(4, "own rollouts per task"),
    others: option.count(4, "most rollouts of other runs per task", 0),
  },
  create: ({ own, others }) => ({
    run: async (scope) => {
      await scope.each(
        scope.tasks,
        async (taskScope, task) => {
          // Asked first, so that what this rollout stores meanwhile is not among it.
          const shared = others === 0 ? [] : await othersOf(taskScope, task, others);
          await taskScope.each(range(own), async (inner, member) => (await inner.open(task, member))?.advance());
          for (const [at, trajectory] of shared.entries()) await join(taskScope, task, trajectory, at);
        },
        { walks: own },
      );
    },
  }),
});

async function othersOf(scope: Scope, task: Task, count: number): Promise<Trajectory[]> {
  const { pool, signal, agent, rng } = scope;
  let found: readonly Trajectory[] = [];
  try {
    found = (await pool?.(task, { signal })) ?? [];
  } catch (error) {
    if (isAbort(error)) throwIfAborted(signal);
  }
  const fitting = found.filter(
    (one) =>
      one.task.id === task.id &&
      one.parent === undefined &&
      one.ending !== "failed" &&
      one.reward.kind === "scored" &&
      isSameModel(one.policy, agent.ref),
  );
  return shuffle(fitting, rng.split("others")).slice(0, count);
}

function isSameModel(left: PolicyRef, right: PolicyRef): boolean {
  return left.name === right.name && left.model === right.model;
}

async function join(scope: Scope, task: Task, shared: Trajectory, at: number): Promise<void> {
  const group = scope.prefix + task.id;
  const from = {
    trajectory: shared.id,
    ...(shared.policy.version === undefined ? {} : { version: shared.policy.version }),
  };
  const { info, ...kept } = shared;
  const joined = { ...kept, task, id: `${group}/shared-${at}`, group, info: { ...info, shared: from } };
  scope.adopt(await judgedAnew(scope, joined));
}

/** This run's own opinion of it; without a judge the one it came with. */
async function judgedAnew({ judge, purse, signal }: Scope, trajectory: Trajectory): Promise<Trajectory> {
  if (judge === undefined) return trajectory;
  const { task, steps } = trajectory;
  const judgement = await judgeFinished(judge, { task, trajectory, steps }, purse, signal);
  throwIfAborted(signal);
  const { reward = trajectory.reward, success = trajectory.success, rewards = trajectory.rewards } = judgement;
  return { ...trajectory, reward, success, rewards };
}
