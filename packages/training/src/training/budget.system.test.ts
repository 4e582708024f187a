import { join } from "node:path";
import { expect, test } from "vitest";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { tries } from "../../../../test/support/thorough.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { weightsHash } from "../../../../test/support/weights-hash.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import type { EngineError } from "limbeck-base/base/errors";
import { train } from "./train.ts";

const newFolder = temporaryFolders();
const UPDATES = 3;

interface Life {
  /** Updates that were told. */
  readonly told: number;
  /** How often the time was looked at: in all, and when each update was told. */
  readonly looks: number;
  readonly looksAt: readonly number[];
  readonly error: unknown;
}

/** A second passes with every look at the clock, so that the time is up at some moment of any phase. */
async function live(root: string, name: string, seconds: number | undefined, strategy = "group"): Promise<Life> {
  let looks = 0;
  const looksAt: number[] = [];
  const plan = smallPlan({
    recipe: "grpo",
    strategy,
    env: createCorridor({ rooms: 2, maxSteps: 3 }),
    envName: "corridor",
    model: join(root, "start"),
    dir: join(root, name),
    steps: UPDATES,
    given: { tasks: 2, group: 2, answerTokens: 6, learningRate: 0.01, miniBatches: 2 },
    rewardAll: evenTokens,
    // Never by itself: what is kept is kept because of the budget.
    checkpointEvery: 100,
    report: { tasks: 1, split: "valid" },
    now: () => (looks += 1) * 1_000,
    budget: { seconds },
    onEvent: ({ kind }) => void (kind === "update" && looksAt.push(looks)),
  });
  const error: unknown = await train(plan).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { told: looksAt.length, looks, looksAt, error };
}

test("whenever the time is up, the last finished update is kept, and the run goes on as if nothing had been", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"));
  const whole = await live(root, "whole", undefined);
  expect([whole.error, whole.told]).toEqual([undefined, UPDATES]);
  const wanted = await weightsHash(join(root, "whole", "model"));
  const { looks, looksAt } = await live(root, "timed", 1e9);
  // Here and there, and in the learning that ends the second update: at every look by night, else at every fifth.
  const last = looksAt[1] ?? 0;
  const [parts, every] = [tries(3, 5), tries(5, 1)];
  const cuts = [
    ...Array.from({ length: parts - 1 }, (_, at) => Math.floor((looks * (at + 1)) / parts)),
    ...Array.from({ length: Math.ceil(14 / every) }, (_, at) => last - at * every),
  ];
  const kept: number[] = [];
  for (const seconds of cuts) {
    const name = `cut-${kept.length}`;
    const { told, error } = await live(root, name, seconds);
    expect(error).toMatchObject({ code: "budget", details: { update: told, updates: UPDATES } });
    expect((error as EngineError).message).toMatch(/^The budget of \d+ seconds is spent\. .* Go on with --resume/);
    kept.push(told);
    expect((await live(root, name, undefined)).told).toBe(UPDATES - told);
    expect(await weightsHash(join(root, name, "model"))).toBe(wanted);
  }
  // The test has seen ends before the first update, between and after.
  expect(new Set(kept).size).toBeGreaterThan(2);
}, 240_000);
