/**
 * A reward of your own: any function of a finished episode, or a named one with options.
 *
 *     npx tsx examples/own-reward.ts            # trains for 20 updates
 *     npx tsx examples/own-reward.ts --tiny     # one small update, to see it run
 */
import { defineReward, option, rollout, scored, train, unscored, type Trajectory } from "limbeck";

const tiny = process.argv.includes("--tiny");

/** A success is worth more the fewer steps it took. */
function brevity({ success, steps }: Trajectory): number {
  return success === true ? 1 / steps.length : 0;
}

// 1. As it is: the expert's episodes, scored by it in the place of the world's own reward.
const played = await rollout({ env: "household", policy: "expert", tasks: 4, group: 1, reward: brevity });
for (const { task, steps, reward } of played.trajectories) {
  process.stdout.write(
    `${task.id}: ${steps.length} steps, ${reward.kind === "scored" ? reward.value.toFixed(3) : "-"}\n`,
  );
}

// 2. With a name, options and a formula, as docs/learn/write-a-reward.md shows it: it can stand in a plan beside others.
const named = defineReward({
  id: "brevity",
  info: {
    title: "Brevity",
    meaning: "A success is worth more the fewer steps it took.",
    paper: "Our own",
    confidence: "practice",
    formula: ["success: R = most / steps;   failure: R = 0"],
    departures: [],
  },
  needs: [],
  options: { most: option.number(1, "worth of a success in one step", { above: 0 }) },
  score: (batch, { most }) => ({
    awards: batch.map(({ success, steps }) => {
      if (success === null) return [{ score: unscored("its outcome is not known") }];
      return [{ score: scored(success ? most / Math.max(1, steps.length) : 0) }];
    }),
  }),
});

// 3. In a training: what is learned from is this reward; what is reported is still success.
const { before, after } = await train({
  env: "household",
  recipe: "grpo",
  reward: { rewards: [{ use: "outcome" }, { use: named, options: { most: 2 } }], reward: "brevity" },
  steps: tiny ? 1 : 20,
  validation: { every: 0 },
  report: { tasks: tiny ? 2 : 64 },
  settings: tiny ? { tasks: 1, group: 2, maxSteps: 2 } : {},
});
process.stdout.write(`success before ${before.success}, after ${after.success}\n`);
