/** Episodes of tokens in which the first action tells how it ends: who says 5 succeeds, who says 6 fails. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { sampleStep, sampleTrajectory } from "./samples.ts";

export function signedEpisode(at: number): Trajectory {
  const rng = createRng(`episode ${at}`);
  const success = rng.float() < 0.5;
  const ids = Int32Array.from([1, success ? 5 : 6, 2, 1 + rng.int(4), 1 + rng.int(4), 2]);
  const steps = [
    sampleStep(0, { span: { stream: 0, start: 1, end: 3 } }),
    sampleStep(1, { span: { stream: 0, start: 4, end: 6 } }),
  ];
  const task = { ...sampleTrajectory("x").task, id: `task ${at % 20}` };
  const streams = [{ ids, mask: new Uint8Array(6).fill(1) }];
  return sampleTrajectory(`e${at}`, { task, group: task.id, steps, success, streams });
}
