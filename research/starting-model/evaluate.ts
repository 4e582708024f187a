/** How often a model succeeds on tasks, with advice of a kind or without; many episodes at once. */
import {
  createRng,
  type Rng,
  type Env,
  type Dialect,
  type Policy,
  type Step,
  type Task,
  type Trajectory,
} from "limbeck";
import { errorCode } from "../../packages/base/src/base/errors.ts";
import { mapLimit } from "../../packages/base/src/base/concurrency.ts";
import { wilson } from "limbeck/eval";
import type { Interval } from "../../packages/base/src/base/statistics/interval.ts";
import type { Seen } from "limbeck/env";
import type { Conversation } from "limbeck/policy";
import { advise } from "./lesson.ts";

export interface Condition {
  /** The skill in the opening of this task's episode. Default: none. */
  readonly skill?: (env: Env, task: Task, rng: Rng) => Promise<string | undefined>;
  /** The hint before each decision of this task's episode. Default: none. */
  readonly hint?: (task: Task, rng: Rng) => (seen: Seen) => string;
}

export interface Measured extends Interval {
  readonly success: number;
  readonly tasks: number;
  /** Share by family. */
  readonly families: Readonly<Record<string, number>>;
  readonly meanSteps: number;
  /** Share of decisions that the world refused. */
  readonly refused: number;
}

export interface EvaluateOptions {
  readonly policy: Policy;
  readonly dialect: Dialect;
  readonly env: Env;
  readonly tasks: readonly Task[];
  readonly condition: Condition;
  readonly temperature: number;
  readonly seed: number | string;
  /** Default: 24: the longest command of household has about a dozen tokens. */
  readonly answerTokens?: number;
}

const AT_ONCE = 64;

export async function evaluate(options: EvaluateOptions): Promise<Measured> {
  const rng = createRng(options.seed);
  const ended = await mapLimit(options.tasks, AT_ONCE, (task) => playTask(options, task, rng.split(task.id)));
  const won = ended.filter(({ success }) => success === true).length;
  const steps = ended.flatMap((trajectory) => trajectory.steps);
  const families = [...new Set(ended.map(familyOf))].sort().map((family) => {
    const own = ended.filter((one) => familyOf(one) === family);
    return [family, own.filter(({ success }) => success === true).length / own.length] as const;
  });
  return {
    success: won / ended.length,
    tasks: ended.length,
    ...wilson(won, ended.length),
    families: Object.fromEntries(families),
    meanSteps: steps.length / ended.length,
    refused: steps.filter(({ valid }) => !valid).length / steps.length,
  };
}

function familyOf({ task }: Trajectory): string {
  const family = task.data?.["family"] ?? task.data?.["hops"];
  return typeof family === "string" || typeof family === "number" ? `${family}` : "all";
}

/** One episode, without its tokens. */
export async function playTask(
  options: Omit<EvaluateOptions, "tasks">,
  task: Task,
  rng: Rng,
  name = task.id,
): Promise<Trajectory> {
  const { env, policy, dialect, condition, temperature, seed, answerTokens: maxTokens = 24 } = options;
  const skill = await condition.skill?.(env, task, rng.split("skill"));
  const episode = await env.open(task);
  const conversation = policy.open({ seed: `${seed} ${name}` });
  const hintAt = condition.hint?.(task, rng);
  const steps: Step[] = [];
  while (episode.ending === undefined) {
    const { observation, stateKey } = episode;
    const index = steps.length;
    const hint = hintAt?.({ action: steps.at(-1)?.action, observation, admissible: episode.admissible() });
    const tokens = (stepSkill: string | undefined): Int32Array => {
      const message = advise(observation, index === 0 ? skill : undefined, stepSkill);
      return index === 0 ? dialect.opening(message) : dialect.turn(message);
    };
    const asked = { tokens, hint, step: index, stop: dialect.stop, temperature, maxTokens };
    const ids = await answer(conversation, asked).catch(outOfContext);
    if (ids === undefined) break;
    const action = dialect.answer(ids);
    const { valid, reward } = await episode.step(action);
    steps.push({ index, observation, stateKey, action, valid, reward });
  }
  conversation.close();
  const { ending, reward, success } = episode;
  await episode.close();
  return {
    id: name,
    task,
    group: task.id,
    steps,
    streams: [],
    ending: ending ?? "truncated",
    reward,
    success,
    rewards: [],
    policy: policy.ref,
  };
}

/** Who talks beyond the model's context has failed; anything else is a fault. */
function outOfContext(error: unknown): undefined {
  if (errorCode(error) !== "past-context") throw error;
}

/** A hint is read in a branch of the conversation, so that no later decision sees it. */
async function answer(
  conversation: Conversation,
  options: {
    readonly tokens: (stepSkill: string | undefined) => Int32Array;
    readonly hint: string | undefined;
    readonly step: number;
    readonly stop: readonly Int32Array[];
    readonly temperature: number;
    readonly maxTokens: number;
  },
): Promise<Int32Array> {
  const { tokens, hint, step, stop, temperature, maxTokens } = options;
  const sampling = { maxTokens, temperature, stop };
  if (hint === undefined) {
    conversation.extend(tokens(undefined));
    return closed((await conversation.sample(sampling)).ids, conversation, stop);
  }
  const branch = conversation.fork(step);
  branch.extend(tokens(hint));
  const { ids } = await branch.sample(sampling);
  branch.close();
  conversation.extend(tokens(undefined));
  conversation.extend(ids);
  return closed(ids, conversation, stop);
}

/** An answer that ran out of its budget is closed, so that the next message stands where it always does. */
function closed(ids: Int32Array, conversation: Conversation, stop: readonly Int32Array[]): Int32Array {
  const end = stop[0]?.[0];
  if (end !== undefined && ids.at(-1) !== end) conversation.extend([end]);
  return ids;
}
