/**
 * Limbeck: an engine in which language-model agents learn from their own trajectories. This door has six functions
 * with every default, what parts of your own are made with, and the types that everything speaks of. What is heavy
 * is loaded when it is called.
 */
import { startRunning, type Running } from "limbeck-base/base/running";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import type { OpenModelOptions } from "limbeck-policy/policy/local/open-model";
import type { RecipeId } from "limbeck-core/recipe/registry";
import type { CreditOf } from "limbeck-core/recipe/settings";
import type { ArenaEvent, ArenaResult, RunArenaOptions } from "../run/arena.ts";
import type { Evaluated, EvaluateEvent, EvaluateOptions } from "../run/evaluate.ts";
import type { RolledOut, RolloutEvent, RolloutOptions } from "../run/rollout.ts";
import type { Searched, SearchEvent, SearchOptions } from "../run/search.ts";
import type { TrainEvent } from "limbeck-training/training/events";
import type { TrainOptions } from "limbeck-training/training/options";
import type { Trained } from "limbeck-training/training/train";

// Use an agent
export { openAgent } from "../run/agent.ts";
export { credit } from "../run/credit.ts";
export type { Evaluated, EvaluateOptions, LocalModel, RolledOut, RolloutOptions, Running };
export type { Trained, TrainEvent, TrainOptions };

// Make parts of your own
export { defineCredit, type CreditMethod, type CreditResult } from "limbeck-core/credit/credit";
export type { CreditBatch } from "limbeck-core/credit/row";
export { defineObjective } from "limbeck-core/objective/objective";
export { defineRecipe, type Recipe } from "limbeck-core/recipe/recipe";
export { defineReward, type RewardMethod } from "limbeck-core/reward/reward";
export { defineStrategy } from "limbeck-core/rollout/strategy";
export type { Strategy } from "limbeck-core/walk/line/strategy";
export { defineSearch } from "limbeck-core/search/search";
export { defineWorld } from "limbeck-core/env/world";
export type { Agent } from "limbeck-core/walk/mind/agent";
export { loadPart } from "limbeck-base/base/parts/load-part";
export { option } from "limbeck-base/base/option";

// Open what is there
export { openEnv } from "limbeck-worlds/index";
export { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";

// What everything speaks of
export { createRng, type Rng } from "limbeck-base/base/rng";
export { EngineError } from "limbeck-base/base/errors";
export { scored, unscored } from "limbeck-base/trajectory/score";
export type { Env, Episode, StepResult } from "limbeck-core/env/env";
export type { Dialect } from "limbeck-policy/policy/dialect";
export type { Objective } from "limbeck-policy/policy/objective";
export type { Policy } from "limbeck-policy/policy/policy";
export type { TextPolicy } from "limbeck-policy/policy/text-policy";
export type { JsonObject } from "limbeck-base/base/json";
export type { Message, Score, Step, Task, Trajectory } from "limbeck-base/trajectory/trajectory";

// What each of these needs is loaded when it is called

/**
 * Trains a policy: a recipe, in a world, from a model. Everything has a default.
 *
 * @example
 * const settings = { tasks: 1, group: 2, maxSteps: 2 };
 * const run = train({ recipe: "grpo", env: "household", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 * for await (const event of run) if (event.kind === "update") console.log(event.update, event.success);
 * const { before, after, model } = await run;
 * console.log(before.success, after.success, model);
 */
export function train<const Name extends RecipeId = "opid", const Method extends string = CreditOf<Name>>(
  options: TrainOptions<Name, Method> = {},
): Running<Trained, TrainEvent> {
  return loadAndRun(options, async () => (await import("limbeck-training/training/train")).train<Name, Method>);
}

/**
 * Lets a policy play fixed tasks and says how many it solves. Everything has a default.
 *
 * @example
 * const run = evaluate({ env: "household", policy: "expert", tasks: 4 });
 * for await (const { done, total } of run) console.log(`${done} of ${total}`);
 * const { success, low, high } = await run;
 * console.log(success, low, high);
 */
export function evaluate(options: EvaluateOptions = {}): Running<Evaluated, EvaluateEvent> {
  return loadAndRun(options, async () => (await import("../run/evaluate.ts")).evaluate);
}

/**
 * Lets a policy play and gives the trajectories, with their tokens where the policy has any.
 *
 * @example
 * const { trajectories, success } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 2 });
 * console.log(trajectories.length, success); // 4 1
 */
export function rollout(options: RolloutOptions = {}): Running<RolledOut, RolloutEvent> {
  return loadAndRun(options, async () => (await import("../run/rollout.ts")).rollout);
}

/**
 * Searches each task within its own budget, and gives the lines it would act on.
 *
 * @example
 * const found = await search({ env: "household", policy: "wanderer", search: "best-of-n", searchOptions: { n: 2 }, tasks: 1, maxSteps: 4 });
 * console.log(found.success, found.outcomes[0]?.episode.steps.map(({ action }) => action));
 */
export function search(options: SearchOptions = {}): Running<Searched, SearchEvent> {
  return loadAndRun(options, async () => (await import("../run/search.ts")).search);
}

/**
 * Trains every arm with every seed, each in a process of its own, and says what the data can tell apart.
 *
 * @example
 * import { verdictWords } from "limbeck/training";
 *
 * const { summary, files } = await arena({
 *   arms: ["grpo", "gigpo"],
 *   seeds: 1,
 *   budget: "updates=1",
 *   settings: { tasks: 1, group: 2, maxSteps: 2 },
 *   evaluation: { tasks: 1, finalTasks: 0 },
 * });
 * console.log(verdictWords(summary), files.report);
 */
export function arena(options: RunArenaOptions = {}): Running<ArenaResult, ArenaEvent> {
  return loadAndRun(options, async () => (await import("../run/arena.ts")).arena);
}

/**
 * Opens a model that samples, scores and learns in this process: a Hugging Face folder or a GGUF file. A folder that also holds an adapter in the layout of PEFT
 * is opened with it; one that holds nothing but an adapter, with the model that the adapter names.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("household"));
 * const { meanSteps } = await evaluate({ env: "household", policy: model, tasks: 1, maxSteps: 2 });
 * console.log(model.ref.name, meanSteps); // household-model 2
 * await model.close();
 */
export async function openModel(folder: string, options: OpenModelOptions = {}): Promise<LocalModel> {
  return await (await import("limbeck-policy/policy/local/open-model")).openModel(folder, options);
}

function loadAndRun<Options extends { readonly onEvent?: (event: Event) => void }, Result, Event>(
  options: Options,
  load: () => Promise<(options: Options) => Running<Result, Event>>,
): Running<Result, Event> {
  return startRunning(async (emit) => await (await load())({ ...options, onEvent: emit }), options.onEvent);
}
