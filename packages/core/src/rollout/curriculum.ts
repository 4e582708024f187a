/** A curriculum chooses tasks by a rule: of those given it rolls out the ones of the right difficulty now, and in time all. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { shuffle, type Rng } from "limbeck-base/base/rng";
import type { OptionValues } from "limbeck-base/base/option-table";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { isSeen } from "limbeck-base/trajectory/tally";
import { expectedOfTasks, passedAfter, withGoal, withOverdue, type KnownGoal, type PassedOver } from "./difficulty.ts";
import { groupSizes } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";
import { walkGroups } from "./ask.ts";

interface Memory {
  rollouts: number;
  known: readonly KnownGoal[];
  /** Success of tasks that were rolled out themselves, when they last were. */
  tried: Readonly<Record<string, number>>;
  /** How far their rewards lay apart then. */
  spreads: Readonly<Record<string, number>>;
  passed: PassedOver;
}

/** The share of the tasks, the easiest first, that is open after so many rollouts. */
export function openShare(rollouts: number, { begin, pace }: Pick<CurriculumOptions, "begin" | "pace">): number {
  return Math.min(1, begin + ((1 - begin) * rollouts) / pace);
}

/** Places of `count` tasks among the easiest ones that are open, drawn without replacement; in their own order. */
export function easyFirst(accuracies: readonly number[], count: number, open: number, rng: Rng): number[] {
  const easiest = [...accuracies.keys()].sort((one, other) => (accuracies[other] ?? 0) - (accuracies[one] ?? 0));
  const eligible = easiest.slice(0, Math.max(count, Math.floor(open * accuracies.length)));
  return shuffle(eligible, rng)
    .slice(0, count)
    .sort((one, other) => one - other);
}

/** Places of `count` tasks within the band, drawn without replacement; where there are too few, the nearest besides. */
export function inBand(
  accuracies: readonly number[],
  count: number,
  { low, high }: Pick<CurriculumOptions, "low" | "high">,
  rng: Rng,
): number[] {
  const away = (at: number): number => {
    const accuracy = accuracies[at] ?? 0;
    return accuracy < low ? low - accuracy : accuracy > high ? accuracy - high : 0;
  };
  // Shuffled first: a stable sort leaves those within the band in random order.
  const places = shuffle([...accuracies.keys()], rng).sort((one, other) => away(one) - away(other));
  return places.slice(0, count).sort((one, other) => one - other);
}

/** Places of `count` tasks whose rewards lay furthest apart when they were last rolled out, new tasks before them all. */
export function bySpread(spreads: readonly (number | undefined)[], count: number, rng: Rng): number[] {
  const apart = (at: number): number => spreads[at] ?? Infinity;
  // Shuffled first: a stable sort leaves equals in random order.
  const places = shuffle([...spreads.keys()], rng).sort((one, other) => Number(apart(one) < apart(other)) - Number(apart(one) > apart(other))); // prettier-ignore
  return places.slice(0, count).sort((one, other) => one - other);
}

const options = {
  by: option.choice("band", ["band", "easy-first", "spread"], "which tasks are right"),
  size: option.count(8, "episodes per task"),
  share: option.share(0.5, "share of the tasks that is rolled out"),
  low: option.share(0.2, "band: lowest expected success"),
  high: option.share(0.8, "band: highest expected success"),
  begin: option.share(0.5, "easy-first: share that is open at first"),
  pace: option.count(50, "easy-first: rollouts until all are open"),
  temperature: option.number(0.05, "how much more the most similar tasks count", { least: 1e-6 }),
  references: option.count(256, "tasks that difficulty is judged by"),
};

type CurriculumOptions = OptionValues<typeof options>;

export const curriculum = defineStrategy({
  info: {
    title: "Curriculum",
    paper: "Curriculum learning (Bengio et al., 2009); success bands as in difficulty-targeted selection",
    confidence: "practice",
    formula: [
      "share * B of the B tasks given are rolled out, by their expected success: their own when they were last rolled out, else as in replay, from tasks like them",
      "easy-first: drawn from the easiest begin + (1 - begin) * rollouts / pace of them",
      "band: drawn from those with low <= success <= high; the nearest besides where there are too few",
      "spread: new tasks, then those with the largest (highest - lowest reward) of their last group, for rewards that are grades or distances (SpotAgent)",
      "band, spread: a task that was passed over four times in a row is rolled out the next time, whatever the rule says",
    ],
    meaning:
      "Chooses tasks by a rule: those that are right for the policy now, easy ones first or those it solves sometimes.",
    departures: [
      "Success of a new task is expected from the words of its goal; before anything was rolled out all tasks are alike.",
    ],
  },
  repeats: true,
  effect: {
    name: "passedOver",
    counts: "tasks passed over",
    remedy: "Every task was rolled out: lower strategy.share, or give more tasks an update.",
    count: (episodes, { tasks }) => Math.max(0, tasks - groupSizes(episodes).length),
  },
  options,
  create: (options) => {
    const memory: Memory = { rollouts: 0, known: [], tried: {}, spreads: {}, passed: {} };
    return {
      run: (scope) => rollChosen(scope, options, memory),
      save: () => ({ ...memory, known: memory.known.map((one) => ({ ...one })) }) satisfies JsonObject,
      load: (state) => {
        // Checkpoints of earlier versions have no spreads, and none of what was passed over.
        Object.assign(memory, { spreads: {}, passed: {} }, state as unknown as Memory);
      },
    };
  },
});

async function rollChosen(scope: Scope, options: CurriculumOptions, memory: Memory): Promise<void> {
  const { tasks } = scope;
  const byWords = expectedOfTasks(tasks, memory.known, options);
  const expected = tasks.map(({ id }, at) => memory.tried[id] ?? (byWords[at] as number));
  const count = Math.max(1, Math.ceil(options.share * tasks.length));
  const rng = scope.rng.split("curriculum");
  const byRule = {
    band: () => inBand(expected, count, options, rng),
    "easy-first": () => easyFirst(expected, count, openShare(memory.rollouts, options), rng),
    spread: () => bySpread(tasks.map(({ id }) => memory.spreads[id]), count, rng), // prettier-ignore
  }[options.by]();
  // Easy first opens all of them in time by itself.
  const places = options.by === "easy-first" ? byRule : withOverdue(tasks, byRule, memory.passed);
  memory.passed = passedAfter(memory.passed, tasks, places);
  memory.rollouts += 1;
  const chosen = places.map((at) => tasks[at] as Task);
  const found = await walkGroups(scope, chosen, options.size, outcomeOf);
  for (const [at, outcome] of found.entries()) {
    const { id, goal } = chosen[at] as Task;
    if (outcome === undefined) continue;
    const { accuracy, spread } = outcome;
    memory.known = withGoal(memory.known, { goal, accuracy }, options.references);
    memory.tried = { ...memory.tried, [id]: accuracy };
    memory.spreads = { ...memory.spreads, [id]: spread };
  }
}

/** The share of the group that succeeded, and how far its rewards lie apart; undefined where none was seen to its end. */
function outcomeOf(walks: readonly Walk[]): { readonly accuracy: number; readonly spread: number } | undefined {
  const decided = walks.filter(({ ending = "failed", success, reward }) => isSeen({ ending, success, reward }));
  if (decided.length === 0) return undefined;
  const rewards = decided.flatMap(({ reward }) => scoreValue(reward) ?? []);
  const spread = rewards.length === 0 ? 0 : Math.max(...rewards) - Math.min(...rewards);
  return { accuracy: mean(decided.map(({ success }) => Number(success))), spread };
}
