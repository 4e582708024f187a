/** A plan of rewards as a file holds it: checked before anything is played, and written out again in one form. */
import { z } from "zod";
import { EngineError, optionsSchema, resolveOptions, unknownName, type JsonObject } from "../base/index.ts";
import { plannedName, withSum, type RewardPlan } from "./plan.ts";
import { allRewards, getReward, plannedMethod } from "./registry.ts";
import { screens } from "./screens/index.ts";

const plannedSchema = z.strictObject({
  use: z.string(),
  as: z.string().min(1).optional(),
  options: z.record(z.string(), z.json()).optional(),
  weight: z.number().optional(),
});

const planSchema = z.strictObject({
  rewards: z.array(plannedSchema).min(1),
  reward: z.string().optional(),
  stepReward: z.string().optional(),
  screens: z.record(z.string(), z.union([z.literal(false), z.record(z.string(), z.json())])).optional(),
});

/**
 * The plan that a file, or a name alone, stands for. One reward without more is the reward; of several one is named, or
 * they have weights.
 *
 * @example
 * const plan = readRewardPlan({ rewards: [{ use: "outcome", weight: 1 }, { use: "efficiency", weight: 0.2 }] });
 * // Their weighted sum is the part "components".
 * console.log(plan.reward); // components
 */
export function readRewardPlan(input: unknown, shown = "the plan of rewards"): RewardPlan {
  const parsed = planSchema.safeParse(typeof input === "string" ? { rewards: [{ use: input }] } : input);
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`);
    throw new EngineError("bad-input", `${shown} is not a plan of rewards: ${issues.slice(0, 5).join("; ")}.`);
  }
  const given = withSum(parsed.data as RewardPlan);
  const names = given.rewards.map(plannedName);
  const [first] = names;
  const plan: RewardPlan =
    names.length === 1 && given.reward === undefined && given.stepReward === undefined && first !== undefined
      ? { ...given, reward: first }
      : given;
  for (const planned of plan.rewards) {
    const { id, options } = plannedMethod(planned);
    resolveOptions(options, planned.options ?? {}, id);
  }
  for (const name of Object.keys(plan.screens ?? {})) {
    if (!Object.hasOwn(screens, name)) throw unknownName(name, Object.keys(screens), "screen");
  }
  if (plan.reward === undefined && plan.stepReward === undefined) {
    throw new EngineError(
      "bad-input",
      `${shown} does not say which of ${names.join(", ")} is trained on. Give each a weight, or name one as "reward" or "stepReward".`,
    );
  }
  for (const name of [plan.reward, plan.stepReward]) {
    const isKnown = name === undefined || names.some((one) => name === one || name.startsWith(`${one}.`));
    if (!isKnown) throw unknownName(name, names, "reward of the plan");
  }
  return plan;
}

/** A plan as a run keeps it; undefined where it holds what no file can: rewards of one's own, or what they are given. */
export function plainRewardPlan(plan: RewardPlan): JsonObject | undefined {
  const isPlain = plan.rewards.every(({ use, givens }) => typeof use === "string" && givens === undefined);
  return isPlain ? (JSON.parse(JSON.stringify(plan)) as JsonObject) : undefined;
}

/** JSON schema of such a file; a name alone will do too. */
export function rewardPlanSchema(): JsonObject {
  const entry = (use: string): JsonObject => ({
    type: "object",
    properties: {
      use: { const: use, description: getReward(use).info.meaning },
      as: { type: "string", minLength: 1, description: "what it is stored as" },
      options: optionsSchema(getReward(use).options) as JsonObject,
      weight: { type: "number", description: "its weight in a sum, which is then the reward" },
    },
    required: ["use"],
    additionalProperties: false,
  });
  const screen = ([name, { info, options }]: [string, (typeof screens)[keyof typeof screens]]): [
    string,
    JsonObject,
  ] => [name, { anyOf: [{ const: false }, optionsSchema(options) as JsonObject], description: info.meaning }];
  const names = Object.keys(allRewards);
  return {
    anyOf: [
      { enum: names },
      {
        type: "object",
        properties: {
          rewards: { type: "array", minItems: 1, items: { anyOf: names.map(entry) } },
          reward: { type: "string", description: "the one that is trained on" },
          stepReward: { type: "string", description: "the one that becomes the reward of steps" },
          screens: {
            type: "object",
            properties: Object.fromEntries(Object.entries(screens).map(screen)),
            additionalProperties: false,
          },
        },
        required: ["rewards"],
        additionalProperties: false,
      },
    ],
    description: "rewards in the place of the world's own: a name, or a plan of several",
  };
}
