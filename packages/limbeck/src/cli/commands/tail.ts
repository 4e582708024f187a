/** `limbeck tail`: a run while it is made. */
import { input } from "limbeck-base/base/input";
import { defineCommand } from "../command-of.ts";
import { tailRun } from "../runs/tail-run.ts";
import { findRun, runPlace, withStore } from "../with-store.ts";

export const tail = defineCommand({
  group: "look",
  summary: "Follow a training: its last updates, then each new one",
  usage: "RUN [--last N]",
  description:
    "RUN is an id, its beginning, or the folder of the run; any process may be writing it. It ends when the run ends, or with Ctrl-C, which does not touch the run.",
  input: {
    run: input.text("RUN", "What is followed", { at: 0, required: true }),
    last: input.count("N", "Updates to show first", { least: 0, default: 10 }),
  },
  examples: ["limbeck tail runs/kitchen", "limbeck tail opid --last 50"],
  line: {
    kind: "update, evaluation, notice or end",
    update: "number of the update",
    success: "share of episodes that succeeded",
    reward: "update: mean reward",
    entropy: "update: mean surprise of a sampled token",
    seconds: "update: how long it took",
    phase: "evaluation: before, validation, after or probe",
    low: "evaluation: lower end of the 95% interval",
    high: "evaluation: its upper end",
    tasks: "evaluation: tasks that were seen",
    message: "notice: what was noticed",
    status: "end: finished, stopped, stored or broken",
    updates: "end: updates done and planned, or null",
  },
  run: async ({ run, last }, frame) => {
    const { root, id } = runPlace(run, frame);
    await withStore(root, async (store) => await tailRun(frame, store, (await findRun(store, id)).id, last), {
      keepOpen: true,
    });
  },
});
