/**
 * The plan of a comparison: arms, seeds, one budget and one way to evaluate. An arm is a recipe with its settings under
 * a name. Everything that decides the course of a run stands in the plan, which is a JSON file of the arena's folder.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { fittingStrategy, resolveSettings } from "limbeck-core/recipe/settings";
import { getRecipe } from "limbeck-core/recipe/registry";
import { courseSettings, type Settings } from "limbeck-core/update/settings";
import { readRewardPlan } from "limbeck-core/reward/plan-file";
import { createSearch } from "limbeck-core/search/registry";
import { spendingKinds } from "limbeck-core/walk/purse";
import { accounts } from "./budget.ts";

const options = z.record(z.string(), z.json());
const settings = z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()]));
const count = z.int().nonnegative();

/** Names become folders. */
const armName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._=,+-]{0,99}$/, "a name of letters, digits and . _ = , + -, at most 100 of them");

const armSchema = z.strictObject({
  name: armName,
  recipe: z.string(),
  preset: z.string().optional(),
  /** Others than the recipe's: credit method, rollout strategy, policy loss. */
  credit: z.string().optional(),
  strategy: z.string().optional(),
  objective: z.string().optional(),
  /** Rewards in the place of the world's own: a name, or a plan of several. */
  reward: z.json().optional(),
  settings: settings.default({}),
  /** Where they differ from the plan's: the folder of the starting model, single options of the world, noise. */
  model: z.string().optional(),
  envOptions: options.optional(),
  noise: z.number().min(0).max(1).optional(),
});

const evaluationSchema = z.strictObject({
  /** Updates between two points of the curve; the start and the end are always points. */
  every: z.int().positive().default(3),
  /** Tasks of a point, the same for every arm and seed. */
  tasks: z.int().positive().default(48),
  split: z.string().default("valid"),
  temperature: z.number().nonnegative().default(0.4),
  /** Held-out tasks that are looked at once, at the end; 0 for none. */
  finalTasks: count.default(96),
  finalSplit: z.string().default("test"),
  /** With which the trained policies choose their actions on those; none: they play as they are. The budget is a task's. */
  finalSearch: z
    .strictObject({
      method: z.string(),
      options: settings.default({}),
      budget: z.partialRecord(z.enum(spendingKinds), z.number().nonnegative()).default({}),
    })
    .optional(),
  /** Held-out tasks on which a skill's worth at the end is measured, for recipes with skills; 0 for none. */
  retentionTasks: count.default(0),
  /** "all" measures it for recipes without skills too, as something to compare with. */
  retentionArms: z.enum(["skilled", "all"]).optional(),
});

const planSchema = z.strictObject({
  version: z.literal(1),
  arms: z.array(armSchema).min(1),
  seeds: z.array(count).min(1),
  env: z.string(),
  envOptions: options.default({}),
  /** Share of the words of an observation that are lost or garbled. */
  noise: z.number().min(0).max(1).default(0),
  /** Folder of the starting model. */
  model: z.string(),
  budget: z.strictObject({ account: z.enum(accounts), amount: z.number().positive() }),
  evaluation: evaluationSchema.prefault({}),
  /** Threads of one run. */
  threads: z.int().positive().default(1),
  /** Decides the order of the runs. */
  order: z.union([z.string(), z.number()]).default("order"),
  checkpointEvery: z.int().positive().default(5),
  /** Also keeps every run in the store, and its model. */
  keepRuns: z.boolean().default(false),
  /** Runs may go on later with a larger budget: their checkpoints stay, and the budget is not part of their course. */
  goesOn: z.boolean().optional(),
  /** Success to reach; the report says after how many steps. */
  targets: z.array(z.number().gt(0).max(1)).default([0.6, 0.8]),
  /** The arm that the others are compared with; all pairs are compared where there is none. */
  baseline: z.string().nullable().default(null),
});

export type Arm = z.infer<typeof armSchema>;
export type ArenaPlan = z.infer<typeof planSchema>;
/** As it is written by hand: what has a default may be left out. */
export type ArenaPlanInput = z.input<typeof planSchema>;

/**
 * Checks everything that can be checked without a world or a model.
 *
 * @example
 * const plan = readPlan({
 *   version: 1,
 *   arms: [{ name: "grpo", recipe: "grpo" }, { name: "gigpo", recipe: "gigpo" }],
 *   seeds: [1, 2, 3],
 *   env: "household",
 *   model: "my-model",
 *   budget: { account: "steps", amount: 8000 },
 * });
 * console.log(plan.threads, plan.targets); // 1 [ 0.6, 0.8 ]
 */
export function readPlan(input: unknown, shown = "the plan"): ArenaPlan {
  const parsed = planSchema.safeParse(input);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`);
    throw new EngineError("bad-input", `${shown} is not a plan of an arena: ${issues.slice(0, 5).join("; ")}.`);
  }
  const plan = parsed.data;
  const names = plan.arms.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw badPlan(`two arms are called "${twice}"; every arm needs a name of its own`);
  if (new Set(plan.seeds).size !== plan.seeds.length) throw badPlan("a seed stands there twice");
  if (plan.baseline !== null && !names.includes(plan.baseline)) {
    throw badPlan(`the baseline "${plan.baseline}" is no arm; there are ${names.join(", ")}`);
  }
  for (const arm of plan.arms) {
    armSettings(arm);
    if (arm.reward !== undefined) readRewardPlan(arm.reward, `"reward" of the arm ${arm.name}`);
  }
  const { finalSearch } = plan.evaluation;
  if (finalSearch !== undefined) createSearch(finalSearch.method, finalSearch.options);
  return plan;
}

export function armOf(plan: ArenaPlan, name: string): Arm {
  const arm = plan.arms.find((one) => one.name === name);
  if (arm !== undefined) return arm;
  throw badPlan(`there is no arm "${name}"; there are ${plan.arms.map((one) => one.name).join(", ")}`);
}

export interface ResolvedArm {
  readonly credit: string;
  readonly strategy: string;
  readonly settings: Settings;
}

export function armSettings(arm: Arm): ResolvedArm {
  const recipe = getRecipe(arm.recipe);
  const { credit = recipe.credit, preset, objective } = arm;
  const strategy = arm.strategy ?? fittingStrategy(credit, recipe).name;
  const named = { name: arm.recipe, recipe, credit, strategy, objective, preset, given: arm.settings };
  return { credit, strategy, settings: resolveSettings(named) };
}

/** A hash of what decides the course of one run; one that is gone on with must have the same. */
export function fingerprintOf(plan: ArenaPlan, arm: Arm, seed: number): string {
  const { env, budget, evaluation } = plan;
  const { name: _name, ...rest } = arm;
  const resolved = armSettings(arm);
  const course = {
    ...rest,
    ...resolved,
    settings: courseSettings(resolved.settings),
    env,
    envOptions: { ...plan.envOptions, ...arm.envOptions },
    noise: arm.noise ?? plan.noise,
    model: arm.model ?? plan.model,
    ...(plan.goesOn === true ? {} : { budget }),
    evaluation,
    seed,
  };
  return createHash("sha256").update(JSON.stringify(course)).digest("hex").slice(0, 16);
}

function badPlan(why: string): EngineError {
  return new EngineError("bad-input", `The plan of the arena cannot be followed: ${why}.`);
}
