/** XRPO and DARS: every task is tried a few times; what is left of the budget goes where it is worth most. */
import { mean, sampleDeviation } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { goalLikeness, range } from "./ask.ts";
import { groupSizes } from "./effect.ts";
import { firstLargest } from "../walk/shares.ts";
import { defineStrategy, remembering, type Scope, type Walk } from "./strategy.ts";

/** A solved task: what was asked and what was done. */
interface Solved {
  readonly task: string;
  readonly goal: string;
  readonly actions: readonly string[];
}

interface Standing {
  readonly task: Task;
  begun: number;
  readonly rewards: number[];
  successes: number;
  /** A scorer's values of its first rollouts after their first step, where there is one. */
  readonly foretold: number[];
}

const SOLVED_KEPT = 256;

const options = {
  by: option.choice(
    "equal",
    ["equal", "hardness", "interval", "even"],
    "what decides: DARS's two schedules, XRPO's intervals, or nothing (an even split, to compare with)",
  ),
  size: option.number(8, "rollouts per task on average: the budget", { least: 1 }),
  first: option.count(4, "rollouts of every task to begin with"),
  most: option.count(32, "most rollouts of one task"),
  wave: option.count(8, "rollouts that are chosen at the same time"),
  explore: option.number(0.1, "weight of the bonus for what was tried little", { least: 0 }),
  examples: option.count(1, "solved examples for a task without success", 0),
  prior: option.number(4, "rollouts that the word of a scorer counts for, where one is given", { least: 0 }),
};

type AllocateOptions = OptionValues<typeof options>;

export const allocate = defineStrategy({
  info: {
    title: "Allocate (XRPO, DARS)",
    paper: "XRPO: Targeted Exploration and Exploitation; DARS: Depth-Breadth Synergy in RLVR",
    confidence: "code",
    source:
      "yangzhch6/DARS @ 9b21b714; verl/verl/trainer/ppo/ray_dars_trainer.py: schedule_ET, schedule_HW; XRPO by the first page and reviewers of arXiv 2510.06672",
    formula: [
      "`first` rollouts of every task, then the rest of size * tasks:",
      "interval (XRPO): next to the task with the largest h(n) - h(n + 1) + explore * sqrt(ln(1 + T) / n), h(n) = t_{0.975, n-1} s / sqrt(n)",
      "equal, hardness (DARS): extra = ceil((peak - N S) / S), with hardness ceil((2 (1 - a) peak - N S) / S); S = 2 a (1 - a), peak = N / 2, a = 0.5 / N where all failed, none from 0.5 up",
      "with a scorer (--scorer), equal and hardness: a = (successes + prior p) / (N + prior), p its mean word after the first step of the first N",
      "a task without success gets the solved tasks most like it into the message of its next rollouts",
    ],
    meaning: "Spends more rollouts where the outcome is uncertain or the task is hard.",
    departures: [
      "XRPO plans in three phases, and estimates anew before each; here rollouts are chosen `wave` at a time, each as if those before it had changed nothing but their number. Reviews of the paper name the half width, the phases and the two examples; its weight, level and sizes could not be read again: explore (0.1), 95%, first (4) and most (32) are unchecked for it.",
      "DARS has no budget of its own: where its wishes exceed size * tasks, the largest go first. What it does not wish for is not spent. Its scripts begin with 8 rollouts (16 for Llama), end with 32 (equal) or 64 (hardness), show no examples, and leave out tasks that came out all right or all wrong; here 4 and at most 32, one example (examples=0 for none), and no task is left out. A rollout without a score counts as a failure for DARS. The schedule counts successes; published code takes the mean score, so that a task with a mean of 0.5 and no success gets no more there and the most here. A wish that is whole but for its last digit is not rounded up (after six failures 30; published 31). Its switch grpo_use_std, off in every script, takes S = 2 sqrt(a (1 - a)) and peak N; here the product alone.",
      "The word of a scorer is ours: after a few rollouts it tells tasks that fail for want of luck from those that are hard.",
      "Likeness of tasks is the share of words that their goals have in common, and one example is shown whole; XRPO asks an embedding model, shows two, and cuts long ones.",
      "An example stays in the tokens that were read; the step's basePrompt is the message without it.",
    ],
  },
  effect: {
    name: "extraRollouts",
    counts: "rollouts beyond those of the task that got fewest",
    remedy: "Every task got as many: strategy.first leaves nothing of the budget, or all tasks are as hard.",
    count: (episodes) => {
      const sizes = groupSizes(episodes);
      return sizes.reduce((total, size) => total + size - Math.min(...sizes), 0);
    },
  },
  options,
  create: (options) =>
    remembering<Solved[]>("solved", [], async (scope, solved) =>
      (await rollAllocated(scope, options, solved)).slice(-SOLVED_KEPT),
    ),
});

async function rollAllocated(scope: Scope, options: AllocateOptions, known: readonly Solved[]): Promise<Solved[]> {
  const solved = [...known];
  const standings: Standing[] = scope.tasks.map((task) => ({
    task,
    begun: 0,
    rewards: [],
    successes: 0,
    foretold: [],
  }));
  const budget = Math.round(options.size * standings.length);
  const unspent = (): number => budget - standings.reduce((sum, { begun }) => sum + begun, 0);
  const roll = async (chosen: readonly number[], first: boolean): Promise<boolean> => {
    const begun = chosen.map((at) => begin(standings[at] as Standing, first ? [] : solved, options.examples));
    const walks = await scope.each(begun, async (own, { task, label, guidance }) => {
      const walk = await own.open(task, label, guidance === undefined ? {} : { guidance, info: { seeded: true } });
      const said = walk === undefined || !first ? undefined : await foretold(scope, walk);
      await walk?.advance();
      return { walk, said };
    });
    for (const [place, { walk, said }] of walks.entries()) {
      const standing = standings[chosen[place] as number] as Standing;
      if (said !== undefined) standing.foretold.push(said);
      const reward = walk === undefined ? undefined : scoreValue(walk.reward);
      if (reward !== undefined) standing.rewards.push(reward);
      if (walk?.success !== true) continue;
      standing.successes += 1;
      if (standing.successes > 1) continue;
      solved.push({ task: walk.task.id, goal: walk.task.goal, actions: walk.episode.map(({ action }) => action) });
    }
    return walks.every(({ walk }) => walk !== undefined);
  };
  const firsts = range(options.first).flatMap(() => [...standings.keys()]);
  if (!(await roll(firsts.slice(0, budget), true))) return solved;
  const wants = standings.map((standing) => wantOf(standing, options));
  while (unspent() > 0) {
    const places = Math.min(options.wave, unspent());
    const chosen =
      options.by === "interval"
        ? nextByInterval(standings, places, options.explore, options.most)
        : nextByWant(wants, places);
    if (chosen.length === 0 || !(await roll(chosen, false))) break;
  }
  return solved;
}

/** What a scorer says of this rollout after its first step; undefined where there is none, or it fails. */
async function foretold({ outcomeScorer, signal }: Scope, walk: Walk): Promise<number | undefined> {
  if (outcomeScorer === undefined) return undefined;
  await walk.advance(({ depth }) => depth >= 1);
  const [said] = await outcomeScorer.scoreTokens([walk.context()], signal).catch((): number[] => []);
  return Number.isFinite(said) ? said : undefined;
}

/** What DARS wishes for; an even split wishes for the same everywhere. */
function wantOf({ begun, successes, foretold: said }: Standing, { by, most, prior }: AllocateOptions): number {
  if (by === "even" || by === "interval") return Math.max(0, most - begun);
  const weight = said.length === 0 ? 0 : prior;
  const accuracy = begun + weight === 0 ? 0 : (successes + (weight === 0 ? 0 : weight * mean(said))) / (begun + weight);
  return extraWanted(accuracy, Math.max(1, begun), by, most);
}

interface Begun {
  readonly task: Task;
  readonly label: number;
  readonly guidance?: string;
}

function begin(standing: Standing, solved: readonly Solved[], examples: number): Begun {
  const label = standing.begun;
  standing.begun += 1;
  const seeds = standing.successes > 0 ? [] : mostLike(standing.task, solved, examples);
  if (seeds.length === 0) return { task: standing.task, label };
  const guidance = seeds.map(({ goal, actions }) => `Solved before: ${goal}\n${actions.join("\n")}`).join("\n\n");
  return { task: standing.task, label, guidance };
}

/** The solved tasks most like this one, the later of equals first; what has no word in common is no example. */
function mostLike(task: Task, solved: readonly Solved[], count: number): Solved[] {
  return solved
    .toReversed()
    .map((one) => ({ one, likeness: goalLikeness(one.goal, task.goal) }))
    .filter(({ likeness }) => likeness > 0)
    .toSorted((left, right) => right.likeness - left.likeness)
    .slice(0, count)
    .map(({ one }) => one);
}

// Where the next rollouts go: the arithmetic of XRPO and DARS.

/** Student's t at 0.975, in the three decimals of the usual tables, for 1 to 30 degrees of freedom. */
const T_975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
] as const;
const Z_975 = 1.959964;

function tQuantile(freedom: number): number {
  const listed = T_975[freedom - 1];
  if (listed !== undefined) return listed;
  // The first terms of the expansion in 1 / freedom; exact to three decimals from 30 on.
  const first = (Z_975 ** 3 + Z_975) / (4 * freedom);
  return Z_975 + first + (5 * Z_975 ** 5 + 16 * Z_975 ** 3 + 3 * Z_975) / (96 * freedom * freedom);
}

/** Half of the 95% interval of a mean. */
export function halfWidth(spread: number, count: number): number {
  return (tQuantile(count - 1) * spread) / Math.sqrt(count);
}

/** XRPO: by how much one more rollout is expected to narrow the interval, and a bonus for what was tried little. */
export function narrowing(spread: number, count: number, total: number, explore: number): number {
  if (count < 2) return Number.POSITIVE_INFINITY;
  const gain = halfWidth(spread, count) - halfWidth(spread, count + 1);
  return gain + explore * Math.sqrt(Math.log(1 + total) / count);
}

export interface Tried {
  readonly rewards: readonly number[];
}

/** The tasks that get the next rollouts, one place each, with the spread of rewards that is known now. */
export function nextByInterval(tried: readonly Tried[], places: number, explore: number, most: number): number[] {
  const spreads = tried.map(({ rewards }) => (rewards.length < 2 ? 0 : sampleDeviation(rewards)));
  const counts = tried.map(({ rewards }) => rewards.length);
  let total = counts.reduce((sum, count) => sum + count, 0);
  const chosen: number[] = [];
  for (let place = 0; place < places; place += 1) {
    const gain = (task: number): number =>
      (counts[task] as number) >= most
        ? Number.NEGATIVE_INFINITY
        : narrowing(spreads[task] as number, counts[task] as number, total, explore);
    const at = firstLargest(counts.keys(), gain);
    if (at === undefined) break;
    chosen.push(at);
    counts[at] = (counts[at] as number) + 1;
    total += 1;
  }
  return chosen;
}

/** DARS: rollouts to add to the first `count` of a task of this accuracy, so that hard tasks weigh as much as even ones. */
export function extraWanted(accuracy: number, count: number, schedule: "equal" | "hardness", most: number): number {
  if (accuracy >= 0.5) return 0;
  const held = accuracy <= 1e-6 ? 0.5 / count : accuracy;
  const spread = 2 * held * (1 - held);
  const wanted = (schedule === "equal" ? 1 : 2 * (1 - held)) * 0.5 * count;
  return Math.max(0, Math.min(Math.ceil((wanted - count * spread) / spread - 1e-9), most - count));
}

/** The largest wants first, one place at a time. `wants` is used up. */
export function nextByWant(wants: number[], places: number): number[] {
  const chosen: number[] = [];
  for (let place = 0; place < places; place += 1) {
    const at = firstLargest(wants.keys(), (task) => wants[task] as number, 0);
    if (at === undefined) break;
    chosen.push(at);
    wants[at] = (wants[at] as number) - 1;
  }
  return chosen;
}
