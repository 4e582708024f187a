import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { journalFile, readJournal } from "limbeck-training/arena/journal";
import { errorCode } from "limbeck-base/base/errors";
import { tune, type RunTuneOptions, type TuneEvent } from "./tune.ts";

const newFolder = temporaryFolders();
const program = builtChild("kill-arm");

test("a tune that was stopped goes on where it stopped, and ends as one that was not", async () => {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model, 1, 512);
  const options: RunTuneOptions = {
    env: "countdown",
    model,
    over: { learningRate: [0.01, 0.02, 0.03] },
    settings: { tasks: 1, group: 2, answerTokens: 4, maxSteps: 2 },
    seeds: 1,
    budget: "steps=24",
    validationTasks: 2,
    jobs: 2,
    program: program(),
  };
  const heard: TuneEvent[] = [];
  const whole = await tune({ ...options, dir: join(root, "whole"), onEvent: (event) => heard.push(event) });
  const rounds = heard.flatMap((event) => (event.kind === "round" ? [[event.trials.length, event.amount]] : []));
  // An update of 1 task has 2 episodes of one step. Round 1: 24 / 2 / 3 = 4. What is left, 12, is 6 for each of 2 runs.
  expect(rounds).toEqual([
    [3, 4],
    [2, 10],
  ]);
  expect(whole.rounds.map(({ spent }) => spent)).toEqual([12, 24]);
  expect(whole.trials.map(({ steps, updates }) => [steps, updates])).toEqual([
    [10, 5],
    [10, 5],
    [4, 2],
  ]);
  // A run of the second round went on from its checkpoint: its third update is its first one there.
  const [first] = whole.tune.trials;
  const course = heard.flatMap((event) =>
    event.kind === "line" && event.run.arm === first?.name && event.line.kind === "update" ? [event.line.update] : [],
  );
  expect(course).toEqual([1, 2, 3, 4, 5]);

  const stop = new AbortController();
  const dir = join(root, "stopped");
  const interrupted = tune({
    ...options,
    dir,
    signal: stop.signal,
    // In the middle of the second round.
    onEvent: (event) => {
      if (event.kind === "line" && event.line.kind === "update" && event.line.update === 3) stop.abort();
    },
  });
  expect(await interrupted.catch(errorCode)).toBe("cancelled");
  const kept: string[] = [];
  const again = await tune({
    dir,
    resume: true,
    program: program(),
    onEvent: (event) => {
      if (event.kind === "round") kept.push(`round ${event.round}`);
    },
  });
  expect(kept).toEqual(["round 2"]);
  expect({ ...again, dir: "" }).toEqual({ ...whole, dir: "" });
  for (const { name } of whole.tune.trials) {
    expect(await timeless(dir, name)).toEqual(await timeless(whole.dir, name));
  }

  // Another one in the same folder, and none where there is nothing.
  expect(await tune({ ...options, dir }).catch(errorCode)).toBe("target-exists");
  expect(await tune({ dir: join(root, "nothing"), resume: true }).catch(errorCode)).toBe("nothing-to-resume");
  expect(JSON.parse(await readFile(join(dir, "tune.json"), "utf8"))).toEqual(JSON.parse(JSON.stringify(again.tune)));
}, 240_000);

/** The journal of a run, without what depends on the clock. */
async function timeless(dir: string, arm: string): Promise<unknown[]> {
  const lines = await readJournal(journalFile(dir, arm, 1));
  return lines.map((line) =>
    Object.fromEntries(Object.entries(line).filter(([name]) => !/seconds|phases/i.test(name))),
  );
}
