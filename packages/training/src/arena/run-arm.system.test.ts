import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { startChild } from "../../../../test/support/kill-children.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { isFinished, journalFile, readJournal, type JournalLine } from "./journal.ts";
import type { ArenaPlanInput } from "./plan.ts";

const newFolder = temporaryFolders();
const program = builtChild("kill-arm");
const settings = { tasks: 2, group: 2, answerTokens: 4, maxSteps: 3, learningRate: 0.01 };

async function arena(budget: ArenaPlanInput["budget"]): Promise<{ readonly dir: string; readonly plan: string }> {
  const dir = await newFolder();
  const model = join(dir, "start");
  await writeTinyModel(model, 1, 512);
  const plan: ArenaPlanInput = {
    version: 1,
    arms: [{ name: "ema", recipe: "opid", settings: { ...settings, teacher: "ema" } }],
    seeds: [3],
    env: "countdown",
    model,
    budget,
    evaluation: { every: 2, tasks: 2, finalTasks: 2, retentionTasks: 1 },
    checkpointEvery: 2,
  };
  const file = join(dir, "plan.json");
  await writeFile(file, JSON.stringify(plan));
  return { dir, plan: file };
}

/** One life of the run; killed as soon as it has said some lines, or never. */
async function live(plan: string, out: string, rng?: Rng): Promise<string | null> {
  const stdio = ["ignore", "ignore", "pipe", "ipc"] as const;
  const child = spawn(process.execPath, [program(), plan, "ema", "3", out], { stdio: [...stdio] });
  const errors: string[] = [];
  child.stderr?.on("data", (data: Buffer) => errors.push(String(data)));
  let left = rng === undefined ? Number.POSITIVE_INFINITY : 2 + rng.int(4);
  child.on("message", () => {
    left -= 1;
    if (left === 0) child.kill("SIGKILL");
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  expect(errors.join("")).toBe("");
  return signal;
}

/** What does not depend on the clock. */
function timeless(lines: readonly JournalLine[]): unknown[] {
  return lines.map((line) =>
    Object.fromEntries(Object.entries(line).filter(([name]) => !/seconds|phases/i.test(name))),
  );
}

test("a run killed again and again says the same as the uninterrupted one, and is not repeated when over", async () => {
  const { dir, plan } = await arena({ account: "updates", amount: 5 });
  const [whole, killed] = [join(dir, "whole"), join(dir, "killed")];
  await mkdir(whole);
  expect(await live(plan, whole)).toBeNull();
  let kills = 0;
  for (let life = 0; life < 2; life += 1) {
    if ((await live(plan, killed, createRng("kills").split(life))) === "SIGKILL") kills += 1;
  }
  expect(kills).toBeGreaterThan(0);
  expect(await live(plan, killed)).toBeNull();
  const lines = await readJournal(journalFile(killed, "ema", 3));
  expect(isFinished(lines)).toBe(true);
  expect(timeless(lines)).toEqual(timeless(await readJournal(journalFile(whole, "ema", 3))));
  expect(lines.flatMap((line) => (line.kind === "point" ? [line.update] : []))).toEqual([0, 2, 4, 5]);
  expect(lines.map(({ kind }) => kind).slice(-4)).toEqual(["trained", "final", "retention", "end"]);
  // The checkpoint is gone once it is not needed.
  expect(await readdir(join(killed, "ema"))).toEqual(["3.jsonl"]);

  const text = await readFile(journalFile(killed, "ema", 3), "utf8");
  expect(await live(plan, killed)).toBeNull();
  expect(await readFile(journalFile(killed, "ema", 3), "utf8")).toBe(text);
});

test("the first update that reaches the budget is the last; another plan in the same folder is refused", async () => {
  const { dir, plan } = await arena({ account: "steps", amount: 13 });
  expect(await live(plan, dir)).toBeNull();
  const lines = await readJournal(journalFile(dir, "ema", 3));
  const steps = lines.flatMap((line) => (line.kind === "update" ? [line.environmentSteps] : []));
  expect(steps.at(-1)).toBeGreaterThanOrEqual(13);
  expect(steps.at(-2) ?? 0).toBeLessThan(13);

  const other = JSON.parse(await readFile(plan, "utf8")) as ArenaPlanInput;
  await writeFile(plan, JSON.stringify({ ...other, budget: { account: "steps", amount: 99 } }));
  const child = startChild(program(), [plan, "ema", "3", dir]);
  await child.ended;
  expect(child.process.exitCode).toBe(1);
  expect(child.errors.join("")).toMatch(/ema, seed 3, was begun with other settings/);
});
