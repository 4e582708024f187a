import { describe, expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { openLibrary, type NewSkill } from "../../skill/library/library.ts";
import { NO_STATISTICS } from "../../skill/library/library-skill.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import type { RunArm } from "./arms.ts";
import { applyLift, decisionFor, liftRecord } from "./gate.ts";
import { measureLift, type Lift } from "./lift.ts";
import { placeboFor } from "./placebo.ts";

const temporaryFolder = temporaryFolders();
const countTokens = (text: string): number => text.split(" ").filter((word) => word !== "").length;
const tasksOf = (count: number): Task[] =>
  Array.from({ length: count }, (_, at) => ({ id: `t${at}`, env: "e", seed: at, goal: "g", split: "valid" }));

/** A policy that succeeds by chance: so often with the skill, with anything else, with nothing. */
function chances(skill: number, placebo: number, bare: number, seed = "0"): RunArm {
  return (tasks, textFor) =>
    Promise.resolve(
      tasks.map((task) => {
        const text = textFor(task);
        const chance = text === undefined ? bare : text.startsWith("heat") ? skill : placebo;
        return createRng(`${seed} ${task.id} ${text ?? ""}`).float() < chance ? 1 : 0;
      }),
    );
}

const textFor = (): string => "heat it with the microwave";
const measure = (run: RunArm, count = 240): Promise<Lift> =>
  measureLift({ textFor, tasks: tasksOf(count), run, countTokens });

describe("verdicts", () => {
  test("a skill that does better than nothing and than a placebo helps, and is found early", async () => {
    const lift = await measure(chances(0.9, 0.3, 0.3));
    expect(lift).toMatchObject({ verdict: "helps", promptTokens: 5 });
    expect(lift.saved).toBeGreaterThan(0);
    expect(lift.tokensPerPoint).toBeGreaterThan(0);
  });

  test("one that does no better than a placebo does not, however far both are above nothing", async () => {
    const lift = await measure(chances(0.7, 0.7, 0.2));
    expect(lift.overBare.low).toBeGreaterThan(0);
    expect(["no-lift", "cannot-tell"]).toContain(lift.verdict);
  });

  test("one that does worse than both harms", async () => {
    expect((await measure(chances(0.05, 0.5, 0.5))).verdict).toBe("harms");
    expect((await measure(chances(0.2, 0.7, 0.2))).verdict).toBe("harms");
  });

  test("few tasks, tried again: what all trials of a task came to, and the run that goes on where it stopped", async () => {
    const known: RunArm = (tasks, textFor, { trial = 1 } = {}) =>
      // With the skill the even tasks always, the odd ones at the first trial alone.
      Promise.resolve(
        tasks.map((task) => Number(textFor(task)?.startsWith("heat") === true && (task.seed % 2 === 0 || trial === 1))),
      );
    const tried = { textFor, countTokens, tasks: tasksOf(4), run: known };
    const once = await measureLift(tried);
    expect(once).toMatchObject({ verdict: "cannot-tell", passAll: { k: 1, skill: 1, bare: 0 } });
    expect(once.evidence.overBare).toEqual({ better: 4, worse: 0, same: 0 });
    // 4 + 2 of 8 trials; of four tasks two were solved in both.
    const twice = await measureLift({ ...tried, trials: 2 });
    expect(twice).toMatchObject({ success: { skill: 0.75 }, passAll: { k: 2, skill: 0.5 }, overBare: { pairs: 8 } });
    // Six better pairs do not decide; with the four of the run before there are ten.
    expect(twice.verdict).toBe("cannot-tell");
    const gone = await measureLift({ ...tried, trials: 2, earlier: once.evidence });
    expect(gone).toMatchObject({ verdict: "helps", overBare: { pairs: 8, better: 8 }, saved: 4 });
  });

  test("too few tasks: cannot tell", async () => {
    expect(await measure(chances(1, 0, 0), 2)).toMatchObject({ verdict: "cannot-tell", look: 1 });
  });

  test("without a pair nothing was measured, and it is no result: no tasks, or none that could be scored in both arms", async () => {
    await expect(measure(chances(1, 0, 0), 0)).rejects.toMatchObject({ code: "nothing-measured" });
    const unscored: RunArm = (tasks) => Promise.resolve(tasks.map(() => null));
    await expect(measure(unscored, 40)).rejects.toThrow(
      "none of 40 tasks was scored both with the skill and without it",
    );
    const bareOnly: RunArm = (tasks, textFor) =>
      Promise.resolve(tasks.map((task) => (textFor(task) === undefined ? 1 : null)));
    await expect(measure(bareOnly, 40)).rejects.toMatchObject({ code: "nothing-measured" });
  });

  test("a judge that fails half the time costs pairs, not the answer", async () => {
    const sound = chances(0.9, 0.2, 0.2);
    const shaky: RunArm = async (tasks, textFor) =>
      (await sound(tasks, textFor)).map((value, at) => (Number(tasks[at]?.seed) % 2 === 0 ? null : value));
    const lift = await measure(shaky);
    expect(lift.verdict).toBe("helps");
    expect(lift.overPlacebo.unscored).toBeGreaterThanOrEqual(lift.overPlacebo.pairs - 1);
  });

  test("the placebo is as long as the skill, another for every task, and says nothing about it", () => {
    const text = "take the egg; heat the egg with the microwave; move it";
    const texts = ["a", "b", "c"].map((seed) => placeboFor(text, countTokens, seed));
    expect(texts.map(countTokens)).toEqual([11, 11, 11]);
    expect(new Set(texts).size).toBe(3);
    expect(placeboFor("", countTokens, "a")).toBe("");
  });
});

describe("the gate", () => {
  const skill: NewSkill = {
    name: "heat",
    description: "d",
    level: "task",
    status: "candidate",
    when: { goals: [] },
    text: "heat it",
    evidence: [],
    support: { successes: 0, failures: 0 },
    statistics: NO_STATISTICS,
    source: "test",
  };

  test("what each verdict does", () => {
    expect(decisionFor("helps", "candidate")).toBe("promote");
    expect(decisionFor("helps", "quarantined")).toBeUndefined();
    expect(decisionFor("harms", "candidate")).toBe("retire");
    expect(decisionFor("no-lift", "active")).toBe("demote");
    expect(decisionFor("no-lift", "candidate")).toBeUndefined();
    expect(decisionFor("cannot-tell", "active")).toBeUndefined();
  });

  test("results are kept with the skill, whatever was decided", async () => {
    const library = openLibrary(await temporaryFolder());
    await library.add(skill, { by: "test", action: "added" });
    const undecided = liftRecord(await measure(chances(1, 0, 0), 2), "2026-11-15", { env: "e" });
    expect((await applyLift(library, "heat", undecided, "gate")).decision).toBeUndefined();
    expect((await library.read("heat")).lift?.verdict).toBe("cannot-tell");
    const helps = liftRecord(await measure(chances(0.9, 0.3, 0.3)), "2026-11-15", { env: "e" });
    const { skill: promoted } = await applyLift(library, "heat", helps, "gate");
    expect(promoted).toMatchObject({ status: "active", lift: { verdict: "helps", setting: { env: "e" } } });
    const empty = { ...helps, verdict: "helps" as const, pairs: 0 };
    await expect(applyLift(library, "heat", empty, "gate")).rejects.toMatchObject({ code: "nothing-measured" });
    expect((await library.history("heat")).map(({ action }) => action)).toEqual(["added", "measured", "promote"]);
  });
});
