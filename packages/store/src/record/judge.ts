/** Rubric judges for recorded trajectories: a chat model, several samples, and how far they agree. */
import { givenJson } from "limbeck-base/base/given-file";
import type { Context } from "limbeck-base/base/operation";
import { chatServerFrom } from "limbeck-policy/policy/chat/server";
import { openChatModel, type ChatModel } from "limbeck-policy/policy/chat/chat-model";
import { rewards as methods } from "limbeck-core/reward/registry";
import { askRewards } from "limbeck-core/reward/give-rewards";
import { OUTCOME_REWARDS } from "limbeck-base/trajectory/outcome";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";

export interface JudgeOptions {
  readonly model: Pick<ChatModel, "complete" | "model">;
  /** Criteria with questions and weights, and whatever else the reward "rubric-judge" takes. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/**
 * One list of rewards for each trajectory: "score" (0 to 1, unscored where the judge failed or its samples disagree),
 * "score.agreement" and one for each criterion.
 *
 * @example
 * import { openChatModel } from "limbeck/policy";
 *
 * const content = [{ type: "text", text: '{"success": 10}' }];
 * const doGenerate = () => Promise.resolve({ content, finishReason: "stop", usage: {} });
 * const model = openChatModel({ specificationVersion: "v2", provider: "own", modelId: "kind", doGenerate });
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * const [rewards] = await judgeTrajectories(trajectories, { model });
 * console.log(rewards?.[0]?.name, rewards?.[0]?.score); // score { kind: "scored", value: 1 }
 */
export async function judgeTrajectories(
  trajectories: readonly Trajectory[],
  { model, options, signal }: JudgeOptions,
): Promise<readonly (readonly Reward[])[]> {
  const judge = async (prompt: string): Promise<string> => {
    const { text } = await model.complete([{ role: "user", content: prompt }], signal === undefined ? {} : { signal });
    return text;
  };
  const given = await askRewards(methods["rubric-judge"], trajectories, {
    as: OUTCOME_REWARDS.score,
    ...(options === undefined ? {} : { options }),
    givens: { judge, ...(signal === undefined ? {} : { signal }) },
  });
  return given.rewards.map((list) => list.map((reward) => ({ ...reward, source: `${reward.source} ${model.model}` })));
}

/** By the chat model of the environment; `rubric` is a file with options. */
export async function judgeTrajectory(
  trajectory: Trajectory,
  rubric: string | undefined,
  context: Pick<Context, "cwd" | "environment" | "signal">,
): Promise<readonly Reward[]> {
  const { environment, signal } = context;
  const options = rubric === undefined ? undefined : await givenJson(context, rubric, "the rubric");
  const model = openChatModel(chatServerFrom(environment));
  const [rewards = []] = await judgeTrajectories([trajectory], {
    model,
    signal,
    ...(options === undefined ? {} : { options: options as NonNullable<JudgeOptions["options"]> }),
  });
  return rewards;
}
