/** Rubrics over a batch: what each trajectory shows, and the shares among successes and failures. */
import { mean } from "limbeck-base/base/statistics/summary";
import { shareDifference, wilson } from "limbeck-base/base/statistics/share";
import { tailOf, type Interval } from "limbeck-base/base/statistics/interval";
import { normalQuantile } from "limbeck-base/base/statistics/normal";
import { createForest, episodeSteps, type Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { wordsOf, type Rubric, type RubricFinding, type RubricWalk } from "./rubric.ts";

export interface RubricShare extends Interval {
  /** Trajectories to which it applies, and those that show it. */
  readonly applicable: number;
  readonly shown: number;
  /** NaN when it applies to none. */
  readonly share: number;
  /** Mean of the findings' own shares: of the steps that could show it, or of the errors that were overcome. */
  readonly extent: number;
}

export interface RubricReport {
  readonly rubric: string;
  readonly good: boolean;
  readonly successes: RubricShare;
  readonly failures: RubricShare;
  /** Share among successes less share among failures (Newcombe's interval). */
  readonly difference: Interval & { readonly difference: number };
  /** How much more often failures show it; null without a failure or without a success to which it applies. */
  readonly prevalence: Prevalence | null;
  /** Success of those that show it, and of those that do not; null where there is none. */
  readonly successShown: number | null;
  readonly successHidden: number | null;
  /** One for each trajectory, in the order given; those of unknown success are here and not in the shares. */
  readonly findings: readonly { readonly trajectory: string; readonly finding: RubricFinding }[];
}

/** The share that shows it among failures over that among successes, half a trajectory added to each count so that none is 0. */
export interface Prevalence extends Interval {
  readonly ratio: number;
}

interface Counted {
  readonly shown: number;
  readonly applicable: number;
}

/** With Katz's interval, by the logarithm. */
export function prevalenceOf(failures: Counted, successes: Counted, confidence = 0.95): Prevalence | null {
  if (failures.applicable === 0 || successes.applicable === 0) return null;
  const [shown, all] = [failures.shown + 0.5, failures.applicable + 0.5];
  const [shownWon, won] = [successes.shown + 0.5, successes.applicable + 0.5];
  const ratio = shown / all / (shownWon / won);
  const z = normalQuantile(1 - tailOf(confidence));
  const spread = Math.exp(z * Math.sqrt(Math.max(0, 1 / shown - 1 / all + 1 / shownWon - 1 / won)));
  return { ratio, low: ratio / spread, high: ratio * spread };
}

/**
 * How often each rubric is shown in successes and in failures.
 *
 * @example
 * import { rubrics } from "limbeck/eval";
 *
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 2, group: 1 });
 * const [report] = applyRubrics([rubrics.loops], trajectories);
 * console.log(report?.rubric, report?.successes.shown); // loops 0
 */
export function applyRubrics(
  rubrics: readonly Rubric[],
  trajectories: readonly Trajectory[],
  confidence = 0.95,
): RubricReport[] {
  const walks = walksOf(trajectories);
  return rubrics.map((rubric) => {
    const findings = walks.map((walk, index) => ({
      trajectory: (trajectories[index] as Trajectory).id,
      success: walk.success,
      finding: rubric.check(walk),
    }));
    const of = (success: boolean): RubricFinding[] =>
      findings.filter((one) => one.success === success).map(({ finding }) => finding);
    const [successes, failures] = [shareOf(of(true), confidence), shareOf(of(false), confidence)];
    return {
      rubric: rubric.id,
      good: rubric.good,
      successes,
      failures,
      difference: shareDifference(
        { successes: successes.shown, trials: successes.applicable },
        { successes: failures.shown, trials: failures.applicable },
        confidence,
      ),
      prevalence: prevalenceOf(failures, successes, confidence),
      successShown: shareAmong(successes.shown, failures.shown),
      successHidden: shareAmong(successes.applicable - successes.shown, failures.applicable - failures.shown),
      findings: findings.map(({ trajectory, finding }) => ({ trajectory, finding })),
    };
  });
}

function shareAmong(won: number, lost: number): number | null {
  return won + lost === 0 ? null : won / (won + lost);
}

function shareOf(findings: readonly RubricFinding[], confidence: number): RubricShare {
  const applicable = findings.flatMap((finding) => (finding.shown === null ? [] : [finding]));
  const shown = applicable.filter((finding) => finding.shown).length;
  return {
    applicable: applicable.length,
    shown,
    share: applicable.length === 0 ? Number.NaN : shown / applicable.length,
    ...wilson(shown, applicable.length, confidence),
    extent: mean(applicable.map(({ share }) => share)),
  };
}

function walksOf(trajectories: readonly Trajectory[]): RubricWalk[] {
  const forest = createForest(trajectories);
  const verbs = new Map<string, Set<string>>();
  for (const { task, steps } of trajectories) {
    const known = verbs.get(task.env) ?? new Set();
    verbs.set(task.env, known);
    for (const { valid, action } of steps) {
      const [verb] = wordsOf(action);
      if (valid && verb !== undefined) known.add(verb);
    }
  }
  return trajectories.map((trajectory) => ({
    goal: trajectory.task.goal,
    steps: wholeSteps(forest, trajectory),
    success: trajectory.success,
    closing: trajectory.closing?.observation,
    verbs: verbs.get(trajectory.task.env) ?? new Set(),
  }));
}

/** A branch whose parents are not in the batch is judged by its own steps. */
function wholeSteps(forest: Forest, trajectory: Trajectory): RubricWalk["steps"] {
  for (let next = trajectory.parent; next !== undefined; next = forest.get(next.trajectory)?.parent) {
    if (!forest.has(next.trajectory)) return trajectory.steps;
  }
  return episodeSteps(forest, trajectory.id);
}
