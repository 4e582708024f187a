import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import type { RunArm } from "./arms.ts";
import { openLedger, type Ledger } from "./ledger.ts";
import { measureLift, NO_EVIDENCE, type Lift } from "./lift.ts";

const temporaryFolder = temporaryFolders();
const tasks = Array.from({ length: 30 }, (_, seed): Task => ({
  id: `t${seed}`,
  env: "e",
  seed,
  goal: "g",
  split: "valid",
}));

/** Succeeds with the skill; counts what it is paid for, and stops where it is told to. */
function agent(stopAfter = Infinity): { readonly run: RunArm; paid: number } {
  const self = {
    paid: 0,
    run: (async (asked, textFor, { onOutcome } = {}) =>
      asked.map((task) => {
        if (self.paid >= stopAfter) throw new Error("stopped");
        self.paid += 1;
        const success = Number(textFor(task)?.startsWith("heat") === true);
        onOutcome?.(task, success);
        return success;
      })) as RunArm,
  };
  return self;
}

const lift = async (ledger: Ledger, run: RunArm, count = 8, trials = 1): Promise<Lift> => {
  const planned = tasks.slice(0, count);
  return await measureLift({
    tasks: planned,
    trials,
    textFor: () => "heat it",
    countTokens: (text) => text.split(" ").length,
    run: ledger.armsOf("heat@1", run),
    earlier: ledger.earlier("heat@1", planned, trials),
  });
};

test("a lift that was stopped pays nothing twice, and a second run nothing at all", async () => {
  const file = join(await temporaryFolder(), ".lift", "answers.jsonl");
  const open = (): Promise<Ledger> => openLedger({ file, setting: { policy: "p" }, seed: 1 });
  const first = agent(11);
  await expect(lift(await open(), first.run)).rejects.toThrow("stopped");
  const second = agent();
  expect((await lift(await open(), second.run)).verdict).toBe("helps");
  // Three arms of 8 trials.
  expect([first.paid, second.paid]).toEqual([11, 13]);
  const third = agent();
  expect(await lift(await open(), third.run)).toMatchObject({ verdict: "helps", overBare: { better: 8, pairs: 8 } });
  expect(third.paid).toBe(0);
  const other = agent();
  await lift(await openLedger({ file, setting: { policy: "another" }, seed: 1 }), other.run);
  expect(other.paid).toBe(24);
});

test("trials that a rerun adds stand on top of all before them, each once; another version of the text begins anew", async () => {
  const file = join(await temporaryFolder(), "answers.jsonl");
  const open = async (seed = 1): Promise<Ledger> => await openLedger({ file, setting: {}, seed });
  await lift(await open(), agent().run, 5);
  const again = await lift(await open(), agent().run, 5, 2);
  expect(again).toMatchObject({ verdict: "helps", overBare: { better: 10, pairs: 10 } });
  const reseeded = await lift(await open(2), agent().run, 3);
  expect(reseeded.overBare).toMatchObject({ better: 13, pairs: 13 });
  expect((await open(3)).earlier("heat@2", tasks, 1)).toEqual(NO_EVIDENCE);
});

test("what may still be spent bounds the runs; damaged lines are passed over", async () => {
  const file = join(await temporaryFolder(), "answers.jsonl");
  let left = 5;
  const allow = (runs: number): number => {
    const allowed = Math.min(runs, left);
    left -= allowed;
    return allowed;
  };
  const bounded = agent();
  await expect(lift(await openLedger({ file, setting: {}, seed: 1, allow }), bounded.run)).rejects.toThrow("0 pairs");
  expect(bounded.paid).toBe(5);
  await writeFile(file, `${await readFile(file, "utf8")}{"setting": 3}\nnonsense`);
  const rest = agent();
  await lift(await openLedger({ file, setting: {}, seed: 1 }), rest.run);
  expect(rest.paid).toBe(19);
});
