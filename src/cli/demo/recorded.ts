/** What a run came to that was recorded: something to look at while the live one begins. It is never mixed with what is computed here. */
import type { Invocation } from "../command.ts";
import { spark } from "../train/view.ts";

const RECORDED = {
  when: "18 November 2026",
  where: "two x64 cores of sixteen",
  seed: 1,
  updates: 20,
  tasks: 200,
  before: 0.235,
  after: 0.75,
  /** Share of each update's training episodes that succeeded. */
  training: [
    0.14, 0.2, 0.31, 0.25, 0.42, 0.23, 0.36, 0.33, 0.38, 0.36, 0.39, 0.41, 0.69, 0.48, 0.55, 0.58, 0.62, 0.66, 0.67,
    0.52,
  ],
  goal: "put some tissuebox on sidetable",
  failed:
    "go to toilet 1 > take tissuebox 1 > go to sidetable 1 > put tissuebox 1 in sidetable 1 (nothing happens) > look, 8 times",
  done: "go to toilet 1 > take tissuebox 1 > go to sidetable 1 > move tissuebox 1 to sidetable 1 (done in 4 steps)",
} as const;

export function printRecorded({ print, style }: Invocation): void {
  const { when, where, seed, updates, tasks, before, after, training, goal, failed, done } = RECORDED;
  print();
  print(style.bold(`Recorded on ${when}, on ${where}, seed ${seed}: what it comes to`));
  print(`  ${goal}`);
  print(`  before  ${style.dim(failed)}`);
  print(`  after   ${style.dim(done)}`);
  print(`  training episodes that succeed, by update  ${style.green(spark(training))}`);
  print(
    `  ${tasks} held-out errands  ${before.toFixed(3)} before, ${style.green(after.toFixed(3))} after ${updates} updates`,
  );
  print(style.dim("From here on everything is computed on this machine."));
}
