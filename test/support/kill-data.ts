/** Trajectories whose whole content follows from their id, so that a reader can tell whether one is complete. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Step, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export const RUN = "killed";

export function madeFrom(id: string): Trajectory {
  const rng = createRng(id);
  const count = 1 + rng.int(4);
  const tokensEach = 1 + rng.int(40);
  const steps = Array.from({ length: count }, (_, index): Step => ({
    index,
    observation: `observation ${rng.int(1000)} of ${id}`,
    stateKey: `state-${rng.int(10)}`,
    action: `action ${rng.int(100)}`,
    valid: rng.int(2) === 1,
    reward: { kind: "scored", value: rng.float() },
    span: { stream: 0, start: index * tokensEach, end: (index + 1) * tokensEach },
  }));
  const ids = Int32Array.from({ length: count * tokensEach }, () => rng.int(50_000));
  return {
    id,
    task: { id: `task-${id}`, env: "kill", seed: rng.int(1000), goal: "Survive.", split: "train" },
    group: "kill",
    steps,
    streams: [{ ids, mask: new Uint8Array(ids.length).fill(1) }],
    ending: "terminated",
    reward: { kind: "scored", value: rng.float() },
    success: rng.int(2) === 1,
    rewards: [{ name: "alive", source: "test", score: { kind: "scored", value: rng.float() } }],
    policy: { name: "scripted" },
  };
}
