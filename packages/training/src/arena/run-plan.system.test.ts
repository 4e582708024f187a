import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { startChild } from "../../../../test/support/kill-children.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { readPlan, type ArenaPlanInput } from "./plan.ts";
import { readResults } from "./results.ts";
import { summarise } from "./summary.ts";

const newFolder = temporaryFolders();
const arena = builtChild("kill-arena");
const arm = builtChild("kill-arm");
const settings = { tasks: 1, group: 2, answerTokens: 4, maxSteps: 2, learningRate: 0.01 };

test("an arena killed in the middle goes on where it stopped", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 512);
  const input: ArenaPlanInput = {
    version: 1,
    arms: [{ name: "grpo", recipe: "grpo", settings }],
    seeds: [1, 2],
    env: "countdown",
    model: join(root, "start"),
    budget: { account: "updates", amount: 2 },
    evaluation: { every: 1, tasks: 1, finalTasks: 0 },
    checkpointEvery: 1,
  };
  const plan = join(root, "given.json");
  await writeFile(plan, JSON.stringify(input));
  const dir = join(root, "arena");

  const killed = startChild(arena(), [plan, dir, arm()]);
  killed.lines.on("line", (line: string) => {
    // The second run has just begun: the first is over or nearly so.
    if (line.startsWith("2 point")) killed.process.kill("SIGKILL");
  });
  expect(await killed.ended).toBe("SIGKILL");

  const again = startChild(arena(), [plan, dir, arm()]);
  expect(await again.ended).toBeNull();
  expect(again.errors.join("")).toBe("");
  const ends = again.said.filter((line) => /finished|kept|failed/.test(line));
  expect(ends.toSorted().at(-1)).toBe("2 finished ");
  expect(ends.some((line) => line.includes("failed"))).toBe(false);
  const results = await readResults(readPlan(input), dir);
  expect(results.map(({ finished, points }) => [finished, points.map(({ update }) => update)])).toEqual([
    [true, [0, 1, 2]],
    [true, [0, 1, 2]],
  ]);
  expect(summarise(readPlan(input), results).missing).toEqual([]);
}, 180_000);

test("a run that fails is said to have failed, and the others go on", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 512);
  const input: ArenaPlanInput = {
    version: 1,
    arms: [
      { name: "good", recipe: "grpo", settings },
      { name: "lost", recipe: "grpo", settings, model: join(root, "nowhere") },
    ],
    seeds: [1],
    env: "countdown",
    model: join(root, "start"),
    budget: { account: "updates", amount: 1 },
    evaluation: { every: 1, tasks: 1, finalTasks: 0 },
  };
  const plan = join(root, "given.json");
  await writeFile(plan, JSON.stringify(input));
  const child = startChild(arena(), [plan, join(root, "arena"), arm()]);
  expect(await child.ended).toBeNull();
  expect(child.said.some((line) => line.startsWith("1 failed") && line.includes("nowhere"))).toBe(true);
  const [good, lost] = await readResults(readPlan(input), join(root, "arena"));
  expect([good?.finished, lost?.finished]).toEqual([true, false]);
  expect(lost?.failure).toContain("nowhere");
});
