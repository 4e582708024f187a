/**
 * Progress through the parts of a procedure (after ProcVLM): each subgoal has a budget, and inside it what changed
 * counts, not how long it took.
 */
import { isObject, type Json } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { ownSteps } from "./each-episode.ts";
import { readEpisodes } from "./read-scores.ts";
import { defineReward, type Award, type Givens } from "./reward.ts";

const subgoal = {
  kind: "table",
  fields: {
    text: { kind: "text", meaning: "reached when this text is seen after a step, in any case" },
    budget: option.number(1, "its share of the reward", { above: 0 }),
  },
} as const;
const table = {
  subgoals: option.list([], subgoal, "the procedure, in order; the task's own comes first"),
  idle: option.share(1 / 3, "what a step that changed nothing counts, of one that did"),
  key: option.text("subgoals", "where the task's data holds its own procedure, as texts or {text, budget}"),
} as const satisfies DeepTable;

type Goal = OptionValues<typeof table>["subgoals"][number];

export const subgoals = defineReward({
  id: "subgoals",
  info: {
    title: "Subgoal progress",
    meaning:
      "Pays a procedure's subgoals in order, spread over the steps on the way by what they changed; idle steps earn less.",
    paper: "ProcVLM: Learning Procedure-Grounded Progress Rewards for Robotic Manipulation",
    confidence: "code",
    source: "ProcVLM/ProcVLM @ 5a8c6b2d; evqa/tools/functions/progress.py: r, p",
    formula: [
      "subgoal k is reached at the first step, from the one that reached k - 1 on, whose next observation holds its text",
      "r_t = share_k * c_t / (sum of c on the way to k);   share_k = budget_k / sum of budgets;   c_t = 1 where the state changed, else idle",
      "R = sum of r_t = share of the budget that was reached",
    ],
    departures: [
      "Text for pictures: a subgoal is a phrase of an observation, and change is a new state key (after the last step a new observation), all or nothing; the source counts 1.5 less the likeness of two pictures. What the opening observation shows is not looked at. The model that sees progress in video is not here.",
      "Budgets are given, all alike by default; the source's are by the steps that a subgoal took, within 0.75 and 1.25 of their mean.",
      "The way to a subgoal that was never reached earns nothing. The source labels demonstrations: it divides by all that came together in them.",
      "In the source a part begins with a frame that counts nothing, so a part of one frame has no share, and each change is shown one frame late. Here the step that made a change earns it, and a part of one step earns its whole share.",
    ],
  },
  mayUse: { gold: "the world's own procedure, where neither the task nor the options hold one" },
  options: table,
  score: (batch, options, givens) => {
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory): Award[] => {
        const wanted = procedure(trajectory, options, givens);
        const steps = episodes.steps(trajectory);
        if (typeof steps === "string") return [{ score: unscored(steps) }];
        if (wanted.length === 0) return [{ score: unscored("nobody gave its subgoals") }];
        if (steps.length === 0) return [{ score: unscored("it has no steps") }];
        const rewards = increments(steps, trajectory.closing?.observation ?? "", wanted, options.idle);
        return [
          { score: scored(rewards.reduce((sum, value) => sum + value, 0)) },
          ...ownSteps(trajectory, rewards, (value) => ({ score: scored(value) })),
        ];
      }),
    };
  },
});

function increments(steps: readonly Step[], closing: string, goals: readonly Goal[], idle: number): number[] {
  const after = steps.map((_, at) => (steps[at + 1]?.observation ?? closing).toLowerCase());
  // The key of the state after the last step is not kept; an observation that differs is the sign of a change there.
  const changed = steps.map((step, at) => {
    const next = steps[at + 1];
    return next === undefined ? closing !== step.observation : next.stateKey !== step.stateKey;
  });
  const budget = goals.reduce((sum, goal) => sum + goal.budget, 0);
  const rewards = steps.map(() => 0);
  let start = 0;
  let from = 0;
  for (const goal of goals) {
    const text = goal.text.toLowerCase();
    const reached = after.findIndex((seen, at) => at >= from && seen.includes(text));
    if (reached < 0) break;
    const counts = changed.slice(start, reached + 1).map((moved) => (moved ? 1 : idle));
    const total = counts.reduce((sum, count) => sum + count, 0);
    const way = total === 0 ? [[reached, 1] as const] : counts.map((count, at) => [start + at, count / total] as const);
    for (const [at, share] of way) rewards[at] = (rewards[at] as number) + (goal.budget / budget) * share;
    // The same observation may show that two subgoals are reached.
    from = reached;
    start = Math.min(reached + 1, steps.length);
  }
  return rewards;
}

function procedure(
  trajectory: Trajectory,
  options: { readonly subgoals: readonly Goal[]; readonly key: string },
  givens: Givens,
): readonly Goal[] {
  const data = trajectory.task.data ?? {};
  const own = Object.hasOwn(data, options.key) ? data[options.key] : undefined;
  if (Array.isArray(own)) return own.flatMap(readGoal);
  if (options.subgoals.length > 0) return options.subgoals;
  return (givens.gold?.(trajectory)?.subgoals ?? []).flatMap(readGoal);
}

/** What a task says may be anything; a subgoal that cannot be read is passed over. */
function readGoal(value: Json): Goal[] {
  const { text, budget = 1 } = isObject(value) ? value : { text: value };
  const fits = typeof text === "string" && text !== "" && typeof budget === "number" && budget > 0;
  return fits ? [{ text, budget }] : [];
}
