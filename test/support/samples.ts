/** Small trajectories with every field chosen by hand. */
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Step, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export function sampleStep(index: number, more: Partial<Step> = {}): Step {
  return {
    index,
    observation: `see ${index}`,
    stateKey: `s${index}`,
    action: `do ${index}`,
    valid: true,
    reward: scored(0),
    ...more,
  };
}

export function sampleTrajectory(id: string, more: Partial<Trajectory> = {}): Trajectory {
  return {
    id,
    task: { id: "task-1", env: "toy", seed: 1, goal: "put the mug on the desk", split: "train" },
    group: "group-1",
    steps: [sampleStep(0), sampleStep(1), sampleStep(2)],
    streams: [],
    ending: "terminated",
    reward: scored(1),
    success: true,
    rewards: [],
    policy: { name: "scripted" },
    ...more,
  };
}
