import { describe, expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Demonstrator } from "limbeck-core/env/expert";
import { envContract } from "limbeck-core/env/env.contract";
import { createCountdown, readGoal, type CountdownOptions } from "./countdown.ts";
import { expert, guesser, hasty } from "./demonstrators.ts";
import { levels, splitOf, type LevelId } from "./generate.ts";
import { countdown } from "./index.ts";
import { solve } from "./solve.ts";
import { reward, verify, type NumberUse } from "./verify.ts";

function taskOf(numbers: number[], target: number, use: NumberUse = "each"): Task {
  return { id: "t", env: "countdown", seed: 0, goal: "", split: "test", data: { numbers, target, use } };
}

async function answer(task: Task, action: string, options: CountdownOptions = {}) {
  const episode = await createCountdown(options).open(task);
  return episode.step(action);
}

describe("judging", () => {
  const puzzle = { numbers: [3, 5, 5, 2], target: 40, use: "each" } as const;
  test.each([
    ["(3 + 5) * 5", "wrong-numbers", "2 is left over"],
    ["5 * 5 * 5", "wrong-numbers", "5 is used too often"],
    ["4 * 10", "wrong-numbers", "4 is not among the numbers"],
    ["3 + 5 + 5 + 2", "off-target", "the value is 15, not 40"],
    ["(3 + 5) / 5 / 2", "off-target", "the value is 4/5, not 40"],
    ["3 +", "unreadable", "a number or a bracket was expected, not the end"],
  ])("%s is %s", (text, kind, why) => expect(verify(puzzle, text)).toMatchObject({ kind, why }));

  test("each number at most once, where that is the rule", () => {
    const any = { ...puzzle, use: "any" } as const;
    expect(verify(any, "(3 + 5) * 5")).toEqual({ kind: "solved" });
    expect(verify(any, "5 * 5 * 5")).toMatchObject({ kind: "wrong-numbers" });
  });

  test("partial credit as worked out by hand", () => {
    const credit = (text: string): number => reward(verify(puzzle, text), puzzle.target, true);
    expect(credit("what?")).toBe(0);
    expect(credit("4 * 10")).toBe(0.1);
    // 15 misses 40 by 25: 0.1 + 0.4 (1 - 25/40) = 0.1 + 0.4 * 0.375 = 0.25.
    expect(credit("3 + 5 + 5 + 2")).toBeCloseTo(0.25, 9);
    // (3 + 5) * 5 - 2 = 38: 0.1 + 0.4 (1 - 2/40) = 0.48.
    expect(credit("(3 + 5) * 5 - 2")).toBeCloseTo(0.48, 9);
    // 3 * 5 * 5 * 2 = 150 misses by more than the target itself: only the form counts.
    expect(credit("3 * 5 * 5 * 2")).toBe(0.1);
    expect(reward(verify({ ...puzzle, target: 38 }, "(3 + 5) * 5 - 2"), 38, true)).toBe(1);
    expect(reward(verify(puzzle, "(3 + 5) * 5 - 2"), 40, false)).toBe(0);
  });
});

describe("an episode", () => {
  test("is one reply; the last block counts", async () => {
    const reply = "<think>Not <answer>3</answer>.</think> <answer> 8 \u00f7 (3 \u2212 8 \u00f7 3) </answer> done";
    const solved = await answer(taskOf([8, 3, 8, 3], 24), reply);
    expect(solved).toMatchObject({ reward: { value: 1 }, valid: true, ending: "terminated", success: true });
    const missed = await answer(taskOf([8, 3], 24), "<answer>8 + 3</answer>");
    expect(missed).toMatchObject({ reward: { value: 0 }, valid: true, ending: "terminated", success: false });
    expect(missed.observation).toBe("Not solved: the value is 11, not 24.");
  });

  test("what cannot be read is invalid, uses up the reply and is a scored zero", async () => {
    for (const reply of ["", "8 * 3", "<answer>8 * 3", "</answer><answer>", "<answer>eval(1)</answer>"]) {
      const result = await answer(taskOf([8, 3], 24), reply, { partialCredit: true });
      expect(result).toMatchObject({ reward: { value: 0 }, valid: false, ending: "terminated", success: false });
    }
  });

  test("tasks and options of another kind are refused", async () => {
    const env = createCountdown();
    await expect(env.open(taskOf([], 3))).rejects.toMatchObject({ code: "bad-task" });
    await expect(env.open(taskOf([1.5], 3))).rejects.toMatchObject({ code: "bad-task" });
    await expect(env.open({ ...taskOf([3], 3), env: "shop" })).rejects.toMatchObject({ code: "bad-task" });
    expect(() => createCountdown({ level: "hardd" as LevelId })).toThrow('Did you mean "hard"?');
    await expect(countdown.create({ level: "x" })).rejects.toMatchObject({ code: "bad-option" });
    await expect(countdown.create({ colour: "red" })).rejects.toThrow("colour");
    expect((await countdown.create({ seed: "4", partialCredit: "true" })).maxSteps).toBe(1);
  });
});

function drawn(options: CountdownOptions, split: string, count: number, offset = 0): Task[] {
  return [...(createCountdown(options).tasks(split, { count, offset }) as Iterable<Task>)];
}

describe("the generator", () => {
  test("level mixed: easy and medium puzzles in turn, wherever one begins", () => {
    const counts = (offset: number): number[] =>
      [...(createCountdown({ level: "mixed" }).tasks("train", { offset, count: 4 }) as Iterable<Task>)].map(
        ({ goal }) => readGoal(goal)?.numbers.length ?? 0,
      );
    expect([counts(0), counts(3)]).toEqual([
      [3, 4, 3, 4],
      [4, 3, 4, 3],
    ]);
  });

  test.each(Object.keys(levels) as LevelId[])("level %s: in its range, solvable, in its split", (level) => {
    for (const split of ["train", "valid", "test"]) {
      for (const { goal, data } of drawn({ level }, split, tries(15, 60))) {
        const puzzle = readGoal(goal)!;
        expect(data).toEqual(puzzle);
        expect(puzzle.numbers).toHaveLength(levels[level].count);
        expect(puzzle.target).toBeGreaterThanOrEqual(levels[level].target[0]);
        expect(puzzle.target).toBeLessThanOrEqual(levels[level].target[1]);
        expect(splitOf(puzzle.numbers, puzzle.target)).toBe(split);
        expect(verify(puzzle, solve(puzzle)!.expression)).toEqual({ kind: "solved" });
      }
    }
  });

  test("splits stay apart whatever the seed and the order of the numbers", () => {
    expect(splitOf([3, 1, 2], 7)).toBe(splitOf([1, 2, 3], 7));
    const key = ({ goal }: Task): string => {
      const { numbers, target } = readGoal(goal)!;
      return `${[...numbers].sort((one, other) => one - other).join()}=${target}`;
    };
    const train = new Set(drawn({ level: "easy", seed: 1 }, "train", tries(500, 1_500)).map(key));
    const held = [2, 3].flatMap((seed) => drawn({ level: "easy", seed }, "test", tries(100, 300))).map(key);
    expect(held.filter((puzzle) => train.has(puzzle))).toEqual([]);
  });

  test("an offset skips to the same tasks", () => {
    expect(drawn({}, "train", 3, 4)).toEqual(drawn({}, "train", 7).slice(4));
  });
});

describe("demonstrators", () => {
  async function successes(agent: Demonstrator, tasks: readonly Task[]): Promise<number> {
    const env = createCountdown();
    let won = 0;
    for (const task of tasks) {
      const { data: _hidden, ...visible } = task;
      const episode = await env.open(task);
      const action = agent.start({ ...visible, goal: "" }, createRng(task.id)).next({
        action: undefined,
        observation: episode.observation,
      });
      const result = await episode.step(action);
      expect(result.valid).toBe(true);
      won += scoreValue(result.reward) ?? 0;
    }
    return won;
  }

  test("the expert solves all, the others few, from the words alone", async () => {
    const tasks = drawn({ level: "medium" }, "train", tries(60, 200));
    expect(await successes(expert, tasks)).toBe(tasks.length);
    const [quick, blind] = [await successes(hasty, tasks), await successes(guesser, tasks)];
    expect(quick).toBeGreaterThan(blind);
    expect(quick).toBeLessThan(0.75 * tasks.length);
  });

  test("solutions are short and worked", () => {
    const demonstration = expert.start(taskOf([], 1), createRng(1));
    const goal = "Numbers: 8, 3, 1. Target: 25. Use each number exactly once.";
    expect(demonstration.next({ action: undefined, observation: goal })).toBe(
      "<think>8 * 3 = 24, 1 + 24 = 25.</think>\n<answer>1 + 8 * 3</answer>",
    );
    const none = demonstration.next({ action: undefined, observation: goal.replace("25", "9999") });
    expect(none).toContain("I see no way");
  });
});

envContract({
  name: "countdown",
  env: createCountdown({ partialCredit: true }),
  candidates: () => ["<answer>1 + 1</answer>", "<answer>3 * (4 - 2)</answer>"],
  invalidChanges: "turn",
  runner: { describe, test },
  runs: tries(8, 25),
});
