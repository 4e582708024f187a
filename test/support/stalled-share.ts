/**
 * Trains a tiny model over tasks that others have too, and stands still after its first update, until it is killed.
 *
 *     stalled-share MODEL DIR
 */
import { train } from "../../packages/training/src/training/train.ts";
import { sharingPlan } from "./sharing-plan.ts";

const [model = "", dir = ""] = process.argv.slice(2);
await train({
  ...sharingPlan({ model, dir, seed: 2, steps: 1_000 }),
  onEvent: (event) => {
    if (event.kind !== "update") return;
    process.stdout.write(`update ${event.update}\n`);
    process.kill(process.pid, "SIGSTOP");
  },
});
