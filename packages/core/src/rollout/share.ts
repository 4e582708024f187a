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
    confidence: "reading",
    source: "the beginning and reviews of arXiv 2509.08721 (algorithm 1 as they give it)",
    formula: [
      "`own` fresh rollouts of every task, and up to `others` that the pool has of it, drawn at random",
      "a shared rollout joins the group of the task; this run's judge scores it anew",
    ],
    meaning: "Trains on a mix of own rollouts and those that other runs have put into the store.",
    departures: [
      "Only rollouts of the same model are taken, because tokens of another are not this policy's; the paper shares text, whatever model wrote it.",
      "Their log-probabilities stay those of the version that drew them, as ratios need; the trainer computes its own. In the paper the taker computes them under its own policy, so that its ratios begin at 1; it clips them at 0.2 below and 0.28 above, without a divergence.",
      "The paper plays 8 rollouts of a task and trains on 4 of its own and 4 of others, of any task, once those whose advantage is 0 are left out; here 4 are played, the others are of the same task, and none is left out.",
      "Shared ones are compared with own ones here, in one group: own 0 0 0 0 and shared 1 1 1 1 give -0.94 and 0.94. In the authors' later code (gensyn-ai/rl-swarm @ 9c95410, solver_data.py: transplant_trees) a question comes with all its answers by one other node, 2 questions a round, and they are compared among themselves: 0 and 0.",
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
