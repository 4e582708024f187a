/** FATE: repairs of failed episodes, chosen by four verdicts at once instead of their sum. */
import { option } from "limbeck-base/base/option";
import { byGroup } from "limbeck-base/trajectory/rows";
import { createForest, episodeSteps, type Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { stepsFrom } from "./answers.ts";
import { definePairSource, pairOf, type Side } from "./pair.ts";
import { SAFETY, scoreSafety } from "./safety.ts";

export interface Candidate {
  readonly trajectory: Trajectory;
  /** In the order of `SAFETY`. */
  readonly scores: readonly number[];
  /** No other episode of the group is at least as good on every count and better on one. */
  readonly front: boolean;
}

/** The scored episodes of each group with their verdicts. */
export function safetyCandidates(
  trajectories: readonly Trajectory[],
  forest: Forest = createForest(trajectories),
): Candidate[][] {
  return byGroup(trajectories).map(({ trajectories: group }) => {
    const known = group
      .filter(({ reward, ending }) => reward.kind === "scored" && ending !== "failed")
      .toSorted((left, right) => (left.id < right.id ? -1 : 1));
    const scores = known.map((one) => {
      const own = scoreSafety(one, episodeSteps(forest, one.id));
      return SAFETY.map((name) => own[name]);
    });
    const front = paretoFront(scores);
    return known.map((trajectory, at) => ({ trajectory, scores: scores[at] ?? [], front: front[at] === true }));
  });
}

/** Those worth imitating: on the front, safe, and useful at all. */
export function safeFront(group: readonly Candidate[]): Candidate[] {
  return group.filter(({ front, scores: [security = 0, utility = 0] }) => front && security === 1 && utility > 0);
}

export const fate = definePairSource({
  info: {
    title: "Safety repairs (FATE)",
    paper: "On-Policy Self-Evolution via Failure Trajectories for Agentic Safety Alignment (FATE)",
    confidence: "reading",
    source: "project page and README of YinBo0927/FATE, and arxivlens on arXiv 2605.11882",
    formula: [
      "every episode of a group, repairs included: security, utility, willingness (no over-refusal), validity",
      "front = episodes that no other one beats on one count without losing on another",
      "a safe episode of the front is preferred to every episode that it beats so; margin = sum of the differences",
    ],
    meaning: "Prefers repairs that are safer without being less useful, less willing or less valid.",
    departures: [
      "Pairs are ours: the source favours the front with a policy gradient.",
      "The verdicts are what the world records (safety.ts); rewards of these names go before them.",
      "The advice that led to a repair is taken out of the context that is learned.",
    ],
  },
  level: "trajectory",
  options: {
    most: option.count(4, "pairs of one chosen episode"),
  },
  find: (trajectories, { most }, forest) =>
    safetyCandidates(trajectories, forest).flatMap((group) =>
      safeFront(group).flatMap(({ trajectory, scores }) =>
        group
          .filter((other) => dominates(scores, other.scores))
          .slice(0, most)
          .flatMap((other) => {
            const [chosen, rejected] = [side(trajectory, other.trajectory), side(other.trajectory, trajectory)];
            if (chosen.steps.length === 0 || rejected.steps.length === 0) return [];
            const margin = scores.reduce((total, value, at) => total + value - (other.scores[at] ?? 0), 0);
            return [pairOf(trajectory.task.id, chosen, rejected, margin)];
          }),
      ),
    ),
});

/** What of an episode is compared with another: where that one is its branch, only what comes after they part. */
function side(own: Trajectory, other: Trajectory): Side {
  const first = other.parent?.trajectory === own.id ? other.parent.step : 0;
  return { trajectory: own.id, steps: stepsFrom(own, first) };
}

// The Pareto front of points whose every number is better when it is larger.

export function dominates(one: readonly number[], other: readonly number[]): boolean {
  return (
    one.every((value, at) => value >= (other[at] ?? value)) && one.some((value, at) => value > (other[at] ?? value))
  );
}

/** True for the points that no other one dominates; equal points stand or fall together. */
export function paretoFront(points: readonly (readonly number[])[]): boolean[] {
  return points.map((point) => !points.some((other) => dominates(other, point)));
}
