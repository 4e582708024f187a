/** Scores that are already there, by name, so that rewards can be made of other rewards. */
import { createForest, episodeSteps } from "limbeck-base/trajectory/forest";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";

/** "reward" is the trajectory's own, "success" its flag as 1 or 0; any other name is that of a reward given before. */
export function readScore(trajectory: Trajectory, name: string): Score {
  if (name === "reward") return trajectory.reward;
  if (name === "success") {
    return trajectory.success === null ? unscored("its outcome is not known") : scored(trajectory.success ? 1 : 0);
  }
  const found = trajectory.rewards.findLast((reward) => reward.name === name && reward.step === undefined);
  return found?.score ?? unscored(`it has no reward "${name}"`);
}

/** The whole episode of each trajectory of a batch, from the root, or why it cannot be put together. */
export interface Episodes {
  steps(trajectory: Trajectory): readonly Step[] | string;
  /** Scores of the episode's steps: "reward" is the steps' own, any other name that of a reward given before. */
  scores(trajectory: Trajectory, name: string): readonly Score[] | string;
}

export function readEpisodes(batch: readonly Trajectory[]): Episodes {
  const forest = createForest(batch);
  /** Which trajectory a step of the episode belongs to; a later branch replaces what it left. */
  const line = (trajectory: Trajectory): Map<number, Trajectory> | string => {
    const owners = new Map<number, Trajectory>();
    const seen = new Set<Trajectory>();
    let end = Number.POSITIVE_INFINITY;
    for (let next: Trajectory | undefined = trajectory; next !== undefined;) {
      for (const { index } of next.steps) if (index < end) owners.set(index, next);
      if (next.parent === undefined) return owners;
      end = Math.min(end, next.parent.step);
      const parent: Trajectory | undefined = forest.get(next.parent.trajectory);
      if (parent === undefined) return `its parent "${next.parent.trajectory}" is not in the batch`;
      if (seen.has(parent)) return "its parents form a cycle";
      seen.add(parent);
      next = parent;
    }
    return owners;
  };
  const steps = (trajectory: Trajectory): readonly Step[] | string => {
    if (trajectory.parent === undefined) return trajectory.steps;
    const owners = line(trajectory);
    return typeof owners === "string" ? owners : episodeSteps(forest, trajectory.id);
  };
  return {
    steps,
    scores: (trajectory, name) => {
      const owners = line(trajectory);
      if (typeof owners === "string") return owners;
      const own = steps(trajectory) as readonly Step[];
      if (name === "reward") return own.map(({ reward }) => reward);
      const given = new Map([...new Set(owners.values())].map((owner) => [owner, stepRewards(owner, name)]));
      return own.map(({ index }) => {
        const owner = owners.get(index) as Trajectory;
        return given.get(owner)?.get(index) ?? unscored(`step ${index} has no reward "${name}"`);
      });
    },
  };
}

function stepRewards(trajectory: Trajectory, name: string): Map<number, Score> {
  const scores = new Map<number, Score>();
  for (const reward of trajectory.rewards) {
    const whole = reward.name === name && reward.tokens === undefined;
    if (whole && reward.step !== undefined) scores.set(reward.step, reward.score);
  }
  return scores;
}

/** The values, or the first reason why one is missing. */
export function allValues(scores: readonly Score[]): readonly number[] | string {
  const lost = scores.find((score) => score.kind === "unscored");
  if (lost?.kind === "unscored") return lost.why;
  return scores.map((score) => (score.kind === "scored" ? score.value : Number.NaN));
}
