/** A plan of rewards as a file holds it: checked before anything is played, and written out again in one form. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { optionsSchema } from "limbeck-base/base/option-schema";
import { resolveOptions } from "limbeck-base/base/options";
import { unknownName } from "limbeck-base/base/registry";
import type { JsonObject } from "limbeck-base/base/json";
import { checkPlan, soleReward } from "./check-plan.ts";
import { LEVELS, NORMALISATIONS } from "./counted.ts";
import { knownNames, withSumNames, type RewardPlan } from "./plan.ts";
import { allRewards, getReward, plannedMethod } from "./registry.ts";
import { screens } from "./screens/index.ts";

const screensSchema = z.record(z.string(), z.union([z.literal(false), z.record(z.string(), z.json())]));

const gateSchema = z.strictObject({
  reward: z.string().min(1),
  least: z.number().optional(),
  most: z.number().optional(),
});

const segmentSchema = z.union([
  z.strictObject({ every: z.number().int().min(1) }),
  z.strictObject({ at: z.string().min(1) }),
]);

const plannedSchema = z.strictObject({
  use: z.string(),
  as: z.string().min(1).optional(),
  options: z.record(z.string(), z.json()).optional(),
  weight: z.union([z.number(), z.record(z.string(), z.number())]).optional(),
  when: z.union([z.string().min(1), gateSchema]).optional(),
  level: z.enum(LEVELS).optional(),
  segment: segmentSchema.optional(),
  normalise: z.enum(NORMALISATIONS).optional(),
  screens: screensSchema.optional(),
  scorer: z.string().min(1).optional(),
  seconds: z.number().positive().max(86_400).optional(),
});

const planSchema = z.strictObject({
  rewards: z.array(plannedSchema).min(1),
  reward: z.string().optional(),
  stepReward: z.string().optional(),
  unscored: z.enum(["unscored", "leave-out", "rescale"]).optional(),
  screens: screensSchema.optional(),
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
  const raw = parsed.data as RewardPlan;
  for (const planned of raw.rewards) {
    const { id, options } = plannedMethod(planned);
    resolveOptions(options, planned.options ?? {}, id);
  }
  checkPlan(raw, shown);
  const given = withSumNames(raw);
  const [first, second] = given.rewards;
  const isOne = second === undefined && given.reward === undefined && given.stepReward === undefined;
  const plan: RewardPlan = isOne && first !== undefined ? { ...given, ...soleReward(first) } : given;
  const names = knownNames(plan);
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

/** How a reward counts. */
const countingSchema: JsonObject = {
  weight: {
    anyOf: [
      { type: "number" },
      { type: "object", patternProperties: { "^\\d{1,9}$": { type: "number" } }, additionalProperties: false },
    ],
    description: "its weight in a sum, which is then the reward: a number, or numbers by update",
  },
  when: {
    anyOf: [{ type: "string" }, z.toJSONSchema(gateSchema) as JsonObject],
    description: "counts only where this earlier reward holds: at least 1, or between least and most",
  },
  level: { enum: [...LEVELS], description: "what it judges; default: episode" },
  segment: {
    ...(z.toJSONSchema(segmentSchema) as JsonObject),
    description: "where segments end: after so many steps, or where a reward pays; default: the world's own of steps",
  },
  normalise: {
    enum: [...NORMALISATIONS],
    description: "less the mean, over the deviation, of the group or batch; or from 0 to 1 over the batch",
  },
  screens: { type: "object", description: "screens that look at this reward alone, with their options" },
  scorer: {
    type: "string",
    minLength: 1,
    description: "folder of a trained scorer, or the name of a bundled one, for rewards that need one",
  },
  seconds: { type: "number", exclusiveMinimum: 0, description: "limit of each call outside; default: 300" },
};

/** JSON schema of such a file; a name alone will do too. */
export function rewardPlanSchema(): JsonObject {
  const entry = (use: string): JsonObject => ({
    type: "object",
    properties: {
      use: { const: use, description: getReward(use).info.meaning },
      as: { type: "string", minLength: 1, description: "what it is stored as" },
      options: optionsSchema(getReward(use).options) as JsonObject,
      ...countingSchema,
    },
    required: ["use"],
    additionalProperties: false,
  });
  const screen = ([name, { info, options }]: [string, (typeof screens)[keyof typeof screens]]): [
    string,
    JsonObject,
  ] => [name, { anyOf: [{ const: false }, optionsSchema(options) as JsonObject], description: info.meaning }];
  const names = Object.keys(allRewards);
  const screensOf: JsonObject = {
    type: "object",
    properties: Object.fromEntries(Object.entries(screens).map(screen)),
    additionalProperties: false,
  };
  return {
    anyOf: [
      { enum: names },
      {
        type: "object",
        properties: {
          rewards: { type: "array", minItems: 1, items: { anyOf: names.map(entry) } },
          reward: { type: "string", description: "the one that is trained on" },
          stepReward: { type: "string", description: "the one that becomes the reward of steps" },
          unscored: {
            enum: ["unscored", "leave-out", "rescale"],
            description: "what a reward without a score does to a sum by weights; default: unscored",
          },
          screens: screensOf,
        },
        required: ["rewards"],
        additionalProperties: false,
      },
    ],
    description: "rewards in the place of the world's own: a name, or a plan of several",
  };
}
