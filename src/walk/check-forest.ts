/** Checks of what a rollout or a search has stored and left behind, for the suites of both. */
import {
  createForest,
  trajectoryFromJson,
  trajectoryToJson,
  validateForest,
  type Trajectory,
} from "../trajectory/index.ts";
import { sharedContext } from "../trajectory/whole-streams.ts";
import type { CheckGround } from "./check-ground.ts";

/** Says what was broken, and by whom. */
export type Fail = (what: string) => never;

/** Every trajectory is as the schema says, the forest fits together, and every sampled token is in one span. */
export function checkTrajectories(fail: Fail, trajectories: readonly Trajectory[]): void {
  const [fault] = validateForest(trajectories);
  if (fault !== undefined) fail(fault.message);
  const forest = createForest(trajectories);
  for (const trajectory of trajectories) {
    trajectoryFromJson(trajectoryToJson(trajectory), `Trajectory "${trajectory.id}"`);
    sharedContext(forest, trajectory);
    const covered = trajectory.streams.map(({ ids }) => new Uint8Array(ids.length));
    for (const { span } of trajectory.steps) {
      if (span !== undefined) covered[span.stream]?.fill(1, span.start, span.end);
    }
    trajectory.streams.forEach(({ mask }, stream) => {
      const at = mask.findIndex((on, token) => on === 1 && covered[stream]?.[token] !== 1);
      if (at >= 0) fail(`Token ${at} of stream ${stream} of "${trajectory.id}" was sampled but is in no step.`);
    });
  }
}

export function checkClosed(fail: Fail, { counts }: CheckGround): void {
  if (counts.episodes === 0 && counts.conversations === 0) return;
  fail(`${counts.episodes} episodes and ${counts.conversations} conversations were left open.`);
}

export function expectSameForest(
  fail: Fail,
  what: string,
  got: readonly Trajectory[],
  wanted: readonly Trajectory[],
): void {
  const ids = [got, wanted].map((forest) => forest.map(({ id }) => id).join(" "));
  if (ids[0] !== ids[1]) fail(`The forest differs ${what}: ${ids[0]} instead of ${ids[1]}.`);
  got.forEach((trajectory, at) => {
    const [left, right] = [trajectory, wanted[at] as Trajectory].map((one) => JSON.stringify(timeless(one)));
    if (left !== right) fail(`Trajectory "${trajectory.id}" differs ${what}.`);
  });
}

/** A trajectory without its times. */
function timeless(trajectory: Trajectory): unknown {
  const { timing: _timing, steps, ...rest } = trajectoryToJson(trajectory);
  return { ...rest, steps: steps.map(({ timing: _stepTiming, ...step }) => step) };
}
