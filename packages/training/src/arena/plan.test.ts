import { expect, test } from "vitest";
import { parseBudget } from "./budget.ts";
import { armSettings, fingerprintOf, readPlan, type ArenaPlanInput } from "./plan.ts";
import { defaultJobs, runOrder } from "./run-plan.ts";
import { parseVaried, variedArms } from "./vary.ts";

const input: ArenaPlanInput = {
  version: 1,
  arms: [
    { name: "a", recipe: "grpo" },
    { name: "b", recipe: "opid", settings: { teacher: "self" } },
    { name: "c", recipe: "gigpo" },
  ],
  seeds: [1, 2],
  env: "household",
  model: "model",
  budget: { account: "steps", amount: 100 },
};

test("a plan is checked as a whole", () => {
  expect(readPlan(input).evaluation.split).toBe("valid");
  expect(() => readPlan({ ...input, colour: 1 })).toThrow(/colour/);
  expect(() => readPlan({ ...input, arms: [{ name: "../x", recipe: "grpo" }] })).toThrow(/arms.0.name/);
  expect(() => readPlan({ ...input, arms: [...input.arms, { name: "a", recipe: "rloo" }] })).toThrow(/two arms/);
  expect(() => readPlan({ ...input, baseline: "z" })).toThrow(/"z" is no arm; there are a, b, c/);
  expect(() => readPlan({ ...input, arms: [{ name: "a", recipe: "grpo", settings: { teacher: "self" } }] })).toThrow(
    /teacher/,
  );
});

test("budgets are read with their account", () => {
  expect(parseBudget("steps=20000")).toEqual({ account: "steps", amount: 20_000 });
  expect(parseBudget("seconds=1.5")).toEqual({ account: "seconds", amount: 1.5 });
  for (const text of ["steps", "steps=", "steps=-1", "steps=1.5", "hours=1", "steps=1=2", "updates=0"]) {
    expect(() => parseBudget(text)).toThrow(/is not a budget/);
  }
});

test("seeds come one after the other, arms in an order of their own; the same order for the same plan", () => {
  const plan = readPlan({ ...input, seeds: [7, 8, 9, 10] });
  const order = runOrder(plan);
  expect(order.map(({ seed }) => seed)).toEqual([7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10, 10]);
  expect(order).toEqual(runOrder(plan));
  const firsts = new Set([0, 3, 6, 9].map((at) => order[at]?.arm));
  expect(firsts.size).toBeGreaterThan(1);
  expect(order.toSorted((one, two) => one.seed - two.seed || (one.arm < two.arm ? -1 : 1)).slice(0, 3)).toEqual([
    { arm: "a", seed: 7 },
    { arm: "b", seed: 7 },
    { arm: "c", seed: 7 },
  ]);
  expect([defaultJobs(2, 16), defaultJobs(3, 2)]).toEqual([8, 1]);
});

test("whatever changes the course of a run changes its fingerprint; its name does not", () => {
  const plan = readPlan(input);
  const [arm] = plan.arms;
  if (arm === undefined) throw new Error("no arm");
  const own = fingerprintOf(plan, arm, 1);
  expect(fingerprintOf(plan, { ...arm, name: "other" }, 1)).toBe(own);
  expect(fingerprintOf({ ...plan, threads: 2 }, arm, 1)).toBe(own);
  const others = [
    fingerprintOf(plan, arm, 2),
    fingerprintOf({ ...plan, noise: 0.1 }, arm, 1),
    fingerprintOf({ ...plan, budget: { account: "steps", amount: 200 } }, arm, 1),
    fingerprintOf(plan, { ...arm, settings: { group: 4 } }, 1),
    fingerprintOf(plan, { ...arm, envOptions: { dial: "small" } }, 1),
  ];
  expect(new Set([own, ...others]).size).toBe(6);
});

test("an ablation is every combination, named after what it varies", () => {
  const arms = variedArms("opid", [parseVaried("teacher=self,ema"), parseVaried("credit.episodeWeight=0.001,0.3")]);
  expect(arms.map(({ name }) => name)).toEqual([
    "opid+teacher=self+credit.episodeWeight=0.001",
    "opid+teacher=self+credit.episodeWeight=0.3",
    "opid+teacher=ema+credit.episodeWeight=0.001",
    "opid+teacher=ema+credit.episodeWeight=0.3",
  ]);
  expect(arms[0]?.settings).toEqual({ teacher: "self", "credit.episodeWeight": 0.001 });
  const plan = readPlan({ ...input, arms });
  expect(plan.arms.map((arm) => armSettings(arm).settings.teacher)).toEqual(["self", "self", "ema", "ema"]);
});

test("credit methods, worlds and noise can be varied too, and what is not there is refused by name", () => {
  expect(variedArms("grpo", [parseVaried("credit=grpo,hgpo")]).map(({ credit }) => credit)).toEqual(["grpo", "hgpo"]);
  expect(variedArms("grpo", [parseVaried("env.dial=tiny,small")])[1]?.envOptions).toEqual({ dial: "small" });
  expect(variedArms("grpo", [parseVaried("noise=0,0.1")])[1]?.noise).toBe(0.1);
  expect(() => variedArms("grpo", [parseVaried("colour=red,blue")])).toThrow(/colour/);
  expect(() => parseVaried("teacher")).toThrow(/--vary takes KEY=VALUE/);
});

test("a search on held-out tasks is checked before anything is trained, and is part of the course", () => {
  const finalSearch = { method: "best-of-n", options: { n: 2 }, budget: { modelCalls: 10 } };
  const plan = readPlan({ ...input, evaluation: { finalSearch } });
  const [arm] = plan.arms;
  if (arm === undefined) throw new Error("no arm");
  expect(fingerprintOf(plan, arm, 1)).not.toBe(fingerprintOf(readPlan(input), arm, 1));
  const wrong =
    (change: object): (() => unknown) =>
    () =>
      readPlan({ ...input, evaluation: { finalSearch: { ...finalSearch, ...change } } });
  expect(wrong({ method: "best" })).toThrow(/No search "best"/);
  expect(wrong({ options: { m: 2 } })).toThrow(/No option of best-of-n "m"/);
  expect(wrong({ budget: { calls: 1 } })).toThrow(/not a plan of an arena/);
});
