/** What a tune has found, from its rounds and journals, and the conclusions that they allow. */
import { hasInterval } from "limbeck-base/base/statistics/student-t";
import { mean } from "limbeck-base/base/statistics/summary";
import { decide, type Comparison } from "../decide.ts";
import { spentAt } from "../budget.ts";
import type { RunResult } from "../results.ts";
import { estimate, type Estimate } from "../summary.ts";
import { comparisonWords, differenceWords } from "../words.ts";
import { rankedTrials, roundSizes, type Round } from "./halving.ts";
import type { StoredTune } from "./stored-tune.ts";

export interface TunedTrial {
  readonly name: string;
  /** By setting: its value as it is typed. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether these are the recipe's own values. */
  readonly own: boolean;
  /** How many rounds it was in. */
  readonly rounds: number;
  /** Validation success when it was last measured, and what it has gained since its start, over the seeds. */
  readonly success: Estimate;
  readonly gain: Estimate;
  /** Means over the seeds. */
  readonly updates: number;
  readonly steps: number;
  /** Why runs of it failed, one line each. */
  readonly failures: readonly string[];
}

export interface TuneSummary {
  /** The best first: by the round it got to, then by success in it. */
  readonly trials: readonly TunedTrial[];
  /** Null where no trial has finished with every seed, or where all have become worse. */
  readonly best: TunedTrial | null;
  /** "worse": no setting ends above its start. "unsure": the best does, but its interval holds 0, or it has none. */
  readonly outcome: "found" | "unsure" | "worse" | "failed";
  /** The first trial against every other, in the last round that both were in. */
  readonly comparisons: readonly Comparison[];
  /** Those of which the data cannot say that they are worse than the best. */
  readonly tooClose: readonly string[];
  readonly rounds: readonly Round[];
  /** Rounds that the budget was too small for. */
  readonly roundsLeftOut: number;
}

export function tuneSummary(tune: StoredTune, runs: readonly RunResult[]): TuneSummary {
  const { rounds } = tune;
  const names = ranking(tune);
  const trials = names.map((name) => trialOf(tune, name, runs));
  const [first] = trials;
  const finished = first !== undefined && first.success.seeds === tune.plan.seeds.length;
  const sure = first !== undefined && hasInterval(first.gain.seeds) && first.gain.low > 0;
  const outcome = !finished ? "failed" : first.gain.mean <= 0 ? "worse" : sure ? "found" : "unsure";
  const comparisons = finished ? compared(names, rounds) : [];
  const open = new Set(comparisons.filter(({ better }) => better === null).map(({ left }) => left));
  return {
    trials,
    best: first === undefined || outcome === "failed" || outcome === "worse" ? null : first,
    outcome,
    comparisons,
    tooClose: names.filter((name) => open.has(name)),
    rounds,
    roundsLeftOut: roundSizes(tune.trials.length).length - rounds.length,
  };
}

function ranking({ rounds, trials }: StoredTune): string[] {
  return rounds.reduce<string[]>(
    (ranked, round) => {
      const going = rankedTrials(round.trials, round.scores);
      return [...going, ...ranked.filter((name) => !going.includes(name))];
    },
    trials.map(({ name }) => name),
  );
}

function lastRound(name: string, rounds: readonly Round[]): Round | undefined {
  return rounds.findLast(({ trials }) => trials.includes(name));
}

/** Differences of each round are put side by side, so that one correction holds for all of them. */
function compared([best = "", ...others]: readonly string[], rounds: readonly Round[]): readonly Comparison[] {
  const differences = others.map((name) => {
    const { scores = {} } = lastRound(name, rounds) ?? {};
    const values = (scores[name] ?? []).map((score, at) => {
      const other = scores[best]?.[at] ?? null;
      return score === null || other === null ? null : score - other;
    });
    return [name, values] as const;
  });
  const seeds = Math.max(0, ...differences.map(([, values]) => values.length));
  const level = Array.from({ length: seeds }, () => 0);
  return decide({ [best]: level, ...Object.fromEntries(differences) }, best).comparisons;
}

function trialOf(tune: StoredTune, name: string, runs: readonly RunResult[]): TunedTrial {
  const { values = {}, own = false } = tune.trials.find((one) => one.name === name) ?? {};
  const round = lastRound(name, tune.rounds);
  const scores = round?.scores[name] ?? [];
  const mine = tune.plan.seeds.map((seed) => runs.find((run) => run.arm === name && run.seed === seed));
  const gains = scores.map((score, at) => {
    const start = mine[at]?.points[0]?.success;
    return score === null || start === undefined ? null : score - start;
  });
  const last = mine.flatMap((run) => run?.updates.at(-1) ?? []);
  return {
    name,
    values,
    own,
    rounds: tune.rounds.filter(({ trials }) => trials.includes(name)).length,
    success: estimate(scores),
    gain: estimate(gains, [-1, 1]),
    updates: mean(last.map(({ update }) => update)),
    steps: mean(last.map((line) => spentAt("steps", line))),
    failures: [...new Set(mine.flatMap((run) => run?.failure ?? []))],
  };
}

/** "learningRate=0.001, group=8". */
export function valuesInWords({ values }: Pick<TunedTrial, "values">): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

/**
 * What a tune has found, in sentences.
 *
 * @example
 * const nothing = { trials: [], best: null, outcome: "failed", comparisons: [], tooClose: [], rounds: [], roundsLeftOut: 1 } as const;
 * console.log(tuneWords(nothing)); // [ "No setting has finished a round with every seed: nothing can be said." ]
 */
export function tuneWords(summary: TuneSummary): string[] {
  const { trials, outcome, tooClose, comparisons, roundsLeftOut } = summary;
  const [first] = trials;
  if (first === undefined || outcome === "failed") {
    return ["No setting has finished a round with every seed: nothing can be said."];
  }
  const { mean: difference, seeds: pairs, ...interval } = first.gain;
  const figures = differenceWords({ pairs, difference, interval });
  const left =
    roundsLeftOut === 0
      ? []
      : [
          `The budget was spent ${roundsLeftOut} round${roundsLeftOut === 1 ? "" : "s"} before the end: give more to look longer at the last ones.`,
        ];
  if (outcome === "worse") {
    return [
      `Every setting made the policy worse or left it as it was; the least bad is ${valuesInWords(first)} (${figures} on validation tasks). None is advised: try lower learning rates, another recipe (limbeck methods), or a start that succeeds more often.`,
      ...left,
    ];
  }
  const own = first.own ? " These are the recipe's own values." : "";
  const why = hasInterval(first.gain.seeds) ? "The interval holds 0" : "Too few seeds for an interval";
  const doubt = outcome === "unsure" ? ` ${why}: that it learns at all is not beyond doubt.` : "";
  return [
    `Best: ${valuesInWords(first)}, validation success ${first.success.mean.toFixed(3)}, ${figures} from its start.${own}${doubt}`,
    ...closeWords(summary.trials, tooClose, comparisons),
    ...left,
    "The figures are of the tasks it was chosen by, and so a little too good; limbeck train measures on test tasks.",
  ];
}

function closeWords(
  trials: readonly TunedTrial[],
  tooClose: readonly string[],
  comparisons: readonly Comparison[],
): string[] {
  if (comparisons.length === 0) return [];
  const words = (name: string): string => valuesInWords(trials.find((one) => one.name === name) ?? { values: {} });
  const named = comparisons.map((one) => ({ ...one, left: words(one.left), right: "the best" }));
  const open = comparisons.flatMap(({ left }, at) => (tooClose.includes(left) ? [named[at] as Comparison] : []));
  if (open.length === 0) return ["It is better than every other setting beyond doubt."];
  const all = open.length === comparisons.length ? "all others" : `${open.length} of ${comparisons.length} others`;
  return [`Too close to call: ${all} may be as good.`, ...open.map((one) => `  ${comparisonWords(one)}`)];
}
