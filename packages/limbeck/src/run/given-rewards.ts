/** Rewards in the place of the world's own, as a person names them: a plan in a file, or one by name with its options. */
import { resolve } from "node:path";
import { EngineError, usageError } from "limbeck-base/base/errors";
import { isObject } from "limbeck-base/base/json";
import { givenText } from "limbeck-base/base/given-file";
import type { Input } from "limbeck-base/base/operation";
import { namesFile, splitName } from "limbeck-base/base/parts/part";
import type { RewardPlan } from "limbeck-core/reward/plan";
import { readRewardPlan } from "limbeck-core/reward/plan-file";
import type { rewardInputs } from "./reward.inputs.ts";

/** `config` is what a configuration file says, and its name; what is typed goes before it. */
export async function givenRewards(
  { rewards: file, reward: name, rewardOptions: options }: Partial<Input<typeof rewardInputs>>,
  { cwd }: { readonly cwd: string },
  config: { readonly plan?: unknown; readonly file?: string | undefined } = {},
): Promise<RewardPlan | undefined> {
  if (file !== undefined && name !== undefined) {
    if (!namesFile(name)) {
      throw usageError("--rewards FILE holds all rewards and --reward NAME is one; leave one of them out.");
    }
    const plan = withFile(await planIn(cwd, file), name, cwd);
    if (plan === undefined) {
      throw usageError(
        `--reward beside --rewards is for a file that ${JSON.stringify(file)} uses, and it uses no such file.`,
      );
    }
    return readRewardPlan(plan, JSON.stringify(file));
  }
  if (name === undefined && Object.keys(options ?? {}).length > 0)
    throw usageError("--reward-set is for --reward NAME.");
  if (name !== undefined) return readRewardPlan({ rewards: [{ use: name, options }] }, `--reward ${name}`);
  if (file !== undefined) return readRewardPlan(await planIn(cwd, file), JSON.stringify(file));
  return config.plan === undefined ? undefined : readRewardPlan(config.plan, `"reward" of ${config.file}`);
}

/** The plan with the loaded file where it uses that file: a plan alone loads none. Undefined where it does not. */
function withFile(plan: unknown, loaded: string, cwd: string): unknown {
  const { file } = splitName(loaded);
  const rewards: unknown = isObject(plan) ? plan["rewards"] : undefined;
  if (!Array.isArray(rewards)) return plan;
  const isIt = (one: unknown): boolean =>
    isObject(one) && typeof one["use"] === "string" && namesFile(one["use"]) && resolve(cwd, one["use"]) === file;
  if (!rewards.some(isIt)) return undefined;
  return {
    ...(plan as object),
    rewards: rewards.map((one: unknown) => (isIt(one) ? { ...(one as object), use: loaded } : one)),
  };
}

/** JSON is YAML too, so that one reader does for both. */
async function planIn(cwd: string, file: string): Promise<unknown> {
  const text = await givenText({ cwd }, file, "the plan of rewards");
  const { parse } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch (cause) {
    throw new EngineError("bad-json", `${JSON.stringify(file)} is neither JSON nor YAML: ${String(cause)}.`, { cause });
  }
}
