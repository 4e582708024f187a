/** The worlds of the search studies, each with its policy: a model where there is one, otherwise a demonstrator with noise. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRng } from "../../src/base/index.ts";
import { getWorld, type Demonstrator, type Env, type Seen } from "../../src/env/index.ts";
import { createChatDialect, openModel, requireTokenizer } from "../../src/policy/local/index.ts";
import { createTokenAgent, type Agent } from "../../src/rollout/index.ts";
import type { JsonObject, Task } from "../../src/trajectory/index.ts";
import { createNoisyAgent } from "../results/noisy-agent.ts";

interface WorldPlan {
  readonly env: string;
  readonly options: JsonObject;
  readonly split: string;
  /** Chance of a slip where a script plays. */
  readonly noise: number;
  /** What a slip may be, where the world lists no actions. */
  readonly slips?: (
    demonstrators: Readonly<Record<string, Demonstrator>>,
    task: Task,
    past: readonly Seen[],
  ) => string[];
  readonly answerTokens: number;
  /** Confine a model's answers to the listed actions. */
  readonly restrict: boolean;
}

export const studyWorlds = {
  household: {
    env: "household",
    options: { dial: "tiny" },
    split: "valid",
    noise: 0.5,
    answerTokens: 64,
    restrict: false,
  },
  shop: { env: "shop", options: { products: 300 }, split: "valid", noise: 0.4, answerTokens: 240, restrict: false },
  tools: {
    env: "tools",
    options: {},
    split: "valid",
    noise: 0.2,
    slips: otherClerks,
    answerTokens: 600,
    restrict: false,
  },
  countdown: {
    env: "countdown",
    options: { level: "medium" },
    split: "valid",
    noise: 0.95,
    slips: guesses,
    answerTokens: 240,
    restrict: false,
  },
  archive: {
    env: "archive",
    options: { size: "small" },
    split: "valid",
    noise: 0.6,
    answerTokens: 80,
    restrict: false,
  },
} as const satisfies Record<string, WorldPlan>;

export type StudyWorldId = keyof typeof studyWorlds;

export interface StudyWorld {
  readonly env: Env;
  readonly agent: Agent;
  /** Who acts, in words. */
  readonly policy: string;
  readonly tasks: readonly Task[];
  close(): Promise<void>;
}

export interface StudyWorldRequest {
  readonly tasks: number;
  readonly offset: number;
  readonly temperature: number;
  /** Folder that holds a model for each world; the repository's unless told. "none": scripts everywhere. */
  readonly models?: string;
}

export async function openStudyWorld(id: StudyWorldId, request: StudyWorldRequest): Promise<StudyWorld> {
  const plan: WorldPlan = studyWorlds[id];
  const world = await getWorld(plan.env);
  const env = await world.create(plan.options);
  const tasks: Task[] = [];
  for await (const task of env.tasks(plan.split, { offset: request.offset, count: request.tasks })) tasks.push(task);
  const folder = join(request.models ?? fileURLToPath(new URL("../../models", import.meta.url)), id);
  if (existsSync(join(folder, "config.json"))) {
    const model = await openModel(folder, { threads: 1 });
    const dialect = await createChatDialect(requireTokenizer(model));
    const { answerTokens, restrict } = plan;
    const { temperature } = request;
    const agent = createTokenAgent({ policy: model, dialect, answerTokens, restrict, temperature });
    return { env, agent, policy: `the model for ${id}`, tasks, close: () => model.close() };
  }
  const demonstrators = world.demonstrators ?? {};
  const [demonstrator] = Object.values(demonstrators);
  const { slips, noise, answerTokens } = plan;
  const agent = createNoisyAgent({
    noise,
    answerTokens,
    ...(demonstrator === undefined ? {} : { demonstrator }),
    ...(slips === undefined ? {} : { slips: (task: Task, past: readonly Seen[]) => slips(demonstrators, task, past) }),
  });
  return { env, agent, policy: `its expert with noise ${noise}`, tasks, close: () => Promise.resolve() };
}

const HAND_OVER = '{"name": "transfer_to_human", "arguments": {"summary": "The customer needs help."}}';

/** What clerks who lack something would do here; they act too early, or pick the wrong thing. */
function otherClerks(
  demonstrators: Readonly<Record<string, Demonstrator>>,
  task: Task,
  past: readonly Seen[],
): string[] {
  const others = ["hasty", "careless"].flatMap((id) => {
    const demonstration = demonstrators[id]?.start(task, createRng(0));
    let action: string | undefined;
    for (const seen of past) action = demonstration?.next(seen);
    return action === undefined ? [] : [action];
  });
  return [...others, HAND_OVER];
}

/** Twenty ways of joining the numbers at random; the same for the same puzzle. */
function guesses(demonstrators: Readonly<Record<string, Demonstrator>>, task: Task, past: readonly Seen[]): string[] {
  const seen = past.at(-1);
  if (seen === undefined) return [];
  return Array.from({ length: 20 }, (_, at) => {
    const rng = createRng(`${task.goal} ${at}`);
    return demonstrators["guesser"]?.start(task, rng).next(seen) ?? "";
  });
}
