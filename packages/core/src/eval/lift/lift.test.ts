import { describe, expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { openLibrary, type NewSkill } from "../../skill/library/library.ts";
import { NO_STATISTICS } from "../../skill/library/library-skill.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import type { RunArm } from "./arms.ts";
import { applyLift, decisionFor, liftRecord } from "./gate.ts";
import { boundAt, comparePairs, measureLift, placeboFor, type Lift, type Pair } from "./lift.ts";

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

const measure = (run: RunArm, count = 240, looks = 5): Promise<Lift> =>
  measureLift({ textFor: () => "heat it with the microwave", tasks: tasksOf(count), run, countTokens, looks });

describe("comparing pairs", () => {
  test("as worked out by hand", () => {
    // Ten pairs: six better, one worse, three alike: mean 0.5; half-width 1.96 sqrt(7) / 10 = 0.518567.
    const pairs: Pair[] = [...Array.from({ length: 6 }, (): Pair => [1, 0]), [0, 1], [1, 1], [0, 0], [1, 1]];
    const found = comparePairs([...pairs, [null, 1], [1, null]], 1.96);
    expect(found).toMatchObject({ value: 0.5, pairs: 10, better: 6, worse: 1, unscored: 2 });
    expect(found.low).toBeCloseTo(-0.018567, 6);
    expect(found.high).toBe(1);
    expect(comparePairs([], 1.96)).toMatchObject({ value: 0, low: -1, high: 1, pairs: 0 });
    // Nothing differed: still not sure of zero.
    expect(
      comparePairs(
        [
          [1, 1],
          [0, 0],
        ],
        1.96,
      ),
    ).toMatchObject({ value: 0, low: -0.98, high: 0.98 });
  });

  test("bounds fall from look to look: 2.04 sqrt(5 / k)", () => {
    expect([1, 2, 3, 4, 5].map((look) => Number(boundAt(look, 5).toFixed(3)))).toEqual([
      4.562, 3.226, 2.634, 2.281, 2.04,
    ]);
    expect(boundAt(1, 1)).toBe(1.96);
    expect(() => boundAt(6, 5)).toThrow(/look/i);
    expect(() => boundAt(1, 9)).toThrow(/look/i);
  });

  test("five looks together are wrong in about 5 of 100, and find a real difference early", () => {
    const rng = createRng("sequential");
    const stops = (chance: number): { readonly share: number; readonly pairs: number } => {
      let [decided, used] = [0, 0];
      for (let round = 0; round < 2_000; round += 1) {
        const pairs: Pair[] = [];
        for (let look = 1; look <= 5; look += 1) {
          while (pairs.length < 40 * look) pairs.push([rng.float() < chance ? 1 : 0, rng.float() < 0.5 ? 1 : 0]);
          const { low, high } = comparePairs(pairs, boundAt(look, 5));
          if (low > 0 || high < 0) {
            decided += 1;
            break;
          }
        }
        used += pairs.length;
      }
      return { share: decided / 2_000, pairs: used / 2_000 };
    };
    // Two deviations of 2,000 rounds at 0.05 are 0.0097.
    expect(stops(0.5).share).toBeLessThan(0.06);
    expect(stops(0.7).share).toBeGreaterThan(0.97);
    expect(stops(0.7).pairs).toBeLessThan(150);
  });
});

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

  test("too few tasks: cannot tell", async () => {
    expect(await measure(chances(1, 0, 0), 2)).toMatchObject({ verdict: "cannot-tell", looks: 1 });
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
