/** Rewards in the place of the world's own, from the command line: a plan in a file, or one by name with its options. */
import { resolve } from "node:path";
import { EngineError, isObject } from "../../base/index.ts";
import { namesFile, splitName } from "../../base/parts/part.ts";
import type { RewardPlan } from "../../reward/index.ts";
import { readRewardPlan } from "../../reward/plan-file.ts";
import type { Invocation } from "../command.ts";
import { givenText } from "../given-file.ts";
import { usageError } from "../parse.ts";
import { givenValues } from "../play/world-options.ts";

/** `inFile` is what the file of --config says; what is typed goes before it. */
export async function givenRewards(invocation: Invocation, inFile?: unknown): Promise<RewardPlan | undefined> {
  const [file, name] = [invocation.text("rewards"), invocation.text("reward")];
  const options = givenValues(invocation, "reward-set");
  if (file !== undefined && name !== undefined) {
    if (!namesFile(name)) {
      throw usageError("--rewards FILE holds all rewards and --reward NAME is one; leave one of them out.");
    }
    const plan = withFile(await planIn(invocation, file), name, invocation.io.cwd);
    if (plan === undefined) {
      throw usageError(
        `--reward beside --rewards is for a file that ${JSON.stringify(file)} uses, and it uses no such file.`,
      );
    }
    return readRewardPlan(plan, JSON.stringify(file));
  }
  if (name === undefined && Object.keys(options).length > 0) throw usageError("--reward-set is for --reward NAME.");
  if (name !== undefined) return readRewardPlan({ rewards: [{ use: name, options }] }, `--reward ${name}`);
  if (file !== undefined) return readRewardPlan(await planIn(invocation, file), JSON.stringify(file));
  return inFile === undefined ? undefined : readRewardPlan(inFile, `"reward" of ${invocation.text("config")}`);
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
async function planIn(invocation: Invocation, file: string): Promise<unknown> {
  const text = await givenText(invocation, file, "the plan of rewards");
  const { parse } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch (cause) {
    throw new EngineError("bad-json", `${JSON.stringify(file)} is neither JSON nor YAML: ${String(cause)}.`, { cause });
  }
}
