/** What tiers add where distance is progress, exactly: the same episodes of random steps, judged by tiers and by pass or fail. */
import { expect, test } from "vitest";
import { createRng } from "limbeck";
import { assignCredit, getCredit } from "limbeck/credit";
import { pick } from "../../packages/base/src/base/rng.ts";
import { batchFromJson } from "../../packages/core/src/credit/batch-json.ts";
import { answers } from "../../packages/core/src/credit/examples.ts";
import { openGrid, tasksOf } from "./grid/start.ts";

/** How far each of eight episodes of each level came, from 0 to 1. */
async function wandered(levels: number): Promise<number[][]> {
  const env = await openGrid(1, true);
  const found: number[][] = [];
  for (const task of tasksOf(env, "train", levels)) {
    const ends: number[] = [];
    for (let member = 0; member < 8; member += 1) {
      const rng = createRng(`${task.id} ${member}`);
      const episode = await env.open(task);
      while (episode.ending === undefined) await episode.step(pick(episode.admissible() ?? [], rng) ?? "");
      ends.push(episode.reward.kind === "scored" ? episode.reward.value : Number.NaN);
    }
    found.push(ends);
  }
  return found;
}

test("in the grid tiers leave fewer groups without an advantage than pass or fail, on the same episodes", async () => {
  const groups = await wandered(30);
  const empty = (tiers: number): number =>
    groups.filter((ends) => {
      const { advantages } = assignCredit(getCredit("ssl"), batchFromJson(answers(ends)), { tiers });
      return advantages.every(([first]) => first === 0);
    }).length;
  const failed = groups.filter((ends) => ends.every((end) => end < 1)).length;
  const solved = groups.filter((ends) => ends.every((end) => end === 1)).length;
  expect(failed).toBeGreaterThan(0);
  // By pass or fail a group says nothing where all fail or all succeed; by tiers only where all come equally far.
  expect(empty(1)).toBe(failed + solved);
  expect(empty(4)).toBeLessThan(empty(1));
});
