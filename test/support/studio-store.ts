/** Runs for the tests of the studio: a training with known credit, hostile text, a long episode, a tree, a broken run. */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "../../packages/store/src/store/store.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { sampleStep, sampleTrajectory } from "./samples.ts";
import { writeTrainedRun } from "./trained-run.ts";

/** What a page must show and never do: markup, images from outside, escapes of terminals, hidden and turning letters. */
export const PLANTED = [
  `<script>document.title = "owned"</script>`,
  `<img src="https://example.invalid/pixel.png" onerror="document.title = 'owned'">`,
  `<svg onload="document.title = 'owned'"><a href="javascript:document.title='owned'">x</a></svg>`,
  `![picture](https://example.invalid/markdown.png)`,
  "\u001b[31mred\u001b[0m \u001b]8;;https://example.invalid\u0007link\u001b]8;;\u0007",
  "right\u202Eleft\u202C zero\u200Bwidth\u200D\uFEFF nul\u0000",
].join("\n");

export const LONG_STEPS = 2_000;
export const HUGE_LETTERS = 5_000_000;

export async function writeStudioStore(store: Store): Promise<void> {
  await writeTrainedRun(store, "trained");
  await writeTrainedRun(store, "second", { updates: 3, finished: false, rise: 0.05 });
  await writeRun(store, "hostile", [
    sampleTrajectory("planted", {
      task: { id: PLANTED, env: "toy", seed: 1, goal: PLANTED, split: "train", data: { family: PLANTED } },
      group: PLANTED,
      steps: [
        sampleStep(0, { observation: PLANTED, action: PLANTED }),
        sampleStep(1, { observation: "x".repeat(HUGE_LETTERS), action: "y".repeat(100) }),
      ],
      closing: { observation: PLANTED },
    }),
  ]);
  await writeRun(store, "long", [
    sampleTrajectory("marathon", { steps: Array.from({ length: LONG_STEPS }, (_, index) => sampleStep(index)) }),
  ]);
  await writeRun(store, "forest", forest());
  await writeRun(store, "doomed", [sampleTrajectory("last")]);
  await writeRun(store, "broken", [sampleTrajectory("lost")]);
  await damage(store, "broken");
}

async function writeRun(store: Store, id: string, trajectories: readonly Trajectory[]): Promise<void> {
  const writer = await store.createRun({ id, kind: "rollout", config: { recipe: "none" } });
  for (const one of trajectories) await writer.append(one);
  await writer.close();
}

/** A root that failed, a branch from its step 1 that solved the task, and an episode that began otherwise. */
function forest(): Trajectory[] {
  const failed = { success: false, reward: scored(0), ending: "truncated" } as const;
  const step = (index: number, stateKey: string, action: string) => sampleStep(index, { stateKey, action });
  return [
    sampleTrajectory("root", {
      ...failed,
      steps: [step(0, "start", "go north"), step(1, "north", "wait"), step(2, "later", "wait")],
    }),
    sampleTrajectory("branch", {
      parent: { trajectory: "root", step: 1 },
      steps: [step(1, "north", "open door"), step(2, "door", "walk in")],
    }),
    sampleTrajectory("other", { ...failed, steps: [step(0, "start", "go south"), step(1, "south", "sleep")] }),
  ];
}

async function damage(store: Store, run: string): Promise<void> {
  const folder = join(store.root, run, "segments");
  for (const name of await readdir(folder)) await writeFile(join(folder, name), "no Parquet");
}
