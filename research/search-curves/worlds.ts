/** The worlds of the search studies, each with its policy: a model where there is one, otherwise a demonstrator with noise. */
import { bundledModel } from "../../packages/policy/src/policy/local/bundled-model.ts";
import { bundledModels, bundledStart } from "../../packages/policy/src/policy/starts.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createRng, type Env, createChatDialect, openModel, type JsonObject, type Task, type Agent } from "limbeck";
import { getWorld, type Demonstrator, type Seen } from "limbeck/env";
import { requireTokenizer } from "limbeck/local";
import { createTokenAgent } from "limbeck/search";
import { createNoisyAgent } from "../results/noisy-agent.ts";
import { remembering } from "./remembering.ts";

interface WorldPlan {
  /** As the world's model was made for, where there is one. */
  readonly options: JsonObject;
  /** Chance of a slip where a script plays. */
  readonly noise: number;
  /** What a slip may be, where the world lists no actions. */
  readonly slips?: (
    demonstrators: Readonly<Record<string, Demonstrator>>,
    task: Task,
    past: readonly Seen[],
  ) => string[];
  /** Room for an answer of a script, in bytes. */
  readonly scriptBytes: number;
}

const SPLIT = "valid";

export const studyWorlds = {
  household: { options: bundledModels.household.worldOptions, noise: 0.5, scriptBytes: 64 },
  shop: { options: bundledModels.shop.worldOptions, noise: 0.4, scriptBytes: 240 },
  tools: { options: bundledModels.tools.worldOptions, noise: 0.2, slips: otherClerks, scriptBytes: 600 },
  countdown: { options: bundledModels.countdown.worldOptions, noise: 0.95, slips: guesses, scriptBytes: 240 },
  archive: { options: { size: "small" }, noise: 0.6, scriptBytes: 80 },
} as const satisfies Record<string, WorldPlan>;

export type StudyWorldId = keyof typeof studyWorlds;

export interface StudyWorld {
  readonly env: Env;
  /** Samples at the temperature of the study. */
  readonly agent: Agent;
  /** The same without chance; scripts have no such thing and play as they are. */
  readonly greedy: Agent;
  /** Who acts, in words. */
  readonly policy: string;
  readonly tasks: readonly Task[];
  /** How often its model was asked so far, in words. */
  counts(): string;
  close(): Promise<void>;
}

export interface StudyWorldRequest {
  readonly tasks: number;
  readonly offset: number;
  readonly temperature: number;
  /** Folder that holds a model for each world. Default: the repository's. "none": scripts everywhere. */
  readonly models?: string;
}

/** Longest answer of a model that does not say its own, as in recipes. */
const ANSWER_TOKENS = 24;

export async function openStudyWorld(id: StudyWorldId, request: StudyWorldRequest): Promise<StudyWorld> {
  const plan: WorldPlan = studyWorlds[id];
  const world = await getWorld(id);
  const env = await world.create(plan.options);
  const tasks: Task[] = [];
  for await (const task of env.tasks(SPLIT, { offset: request.offset, count: request.tasks })) tasks.push(task);
  // A model plays well only in the world that it was made for.
  const bundled = plan.options === bundledModels[id].worldOptions ? bundledModel(id) : "none";
  const folder = request.models === undefined ? bundled : join(request.models, id);
  if (existsSync(join(folder, "config.json"))) {
    const model = await openModel(folder, { threads: 1 });
    const asked = remembering(model);
    const dialect = await createChatDialect(requireTokenizer(model));
    const answerTokens = bundledStart(id)?.answerTokens ?? ANSWER_TOKENS;
    const at = (temperature: number): Agent => createTokenAgent({ policy: asked, dialect, answerTokens, temperature });
    const policy = `the bundled model at temperature ${request.temperature}`;
    const counts = (): string => `${asked.counts.asked} answers, ${asked.counts.answered} of them by the model`;
    const agents = { agent: at(request.temperature), greedy: at(0) };
    return { env, ...agents, policy, tasks, counts, close: () => model.close() };
  }
  const demonstrators = world.demonstrators ?? {};
  const [demonstrator] = Object.values(demonstrators);
  const { slips, noise, scriptBytes } = plan;
  const agent = createNoisyAgent({
    noise,
    answerTokens: scriptBytes,
    ...(demonstrator === undefined ? {} : { demonstrator }),
    ...(slips === undefined ? {} : { slips: (task: Task, past: readonly Seen[]) => slips(demonstrators, task, past) }),
  });
  const policy = `its expert with noise ${noise}`;
  return { env, agent, greedy: agent, policy, tasks, counts: () => "", close: () => Promise.resolve() };
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
