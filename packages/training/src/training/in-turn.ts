/**
 * One task after another: each training starts from the model that the one before has left, credit methods keep what they
 * carry, and after every task it is measured what is left of the earlier ones.
 */
import { join, resolve } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { startRunning, type Running } from "limbeck-base/base/running";
import { withoutUndefined } from "limbeck-base/base/fields";
import { evaluateAgent, type Evaluation } from "limbeck-core/eval/evaluate";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { openModel, requireTokenizer } from "limbeck-policy/policy/local/open-model";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { agentFor, tellingSkills } from "limbeck-core/update/agent";
import { tasksOf } from "limbeck-core/update/collect";
import { cut } from "limbeck-core/update/context";
import { flattenSettings } from "limbeck-core/update/settings";
import type { TrainProgress } from "./checkpoint.ts";
import type { TrainEvent } from "./events.ts";
import type { TrainingPlan, TrainOptions } from "./options.ts";
import { openWorld, type OpenedWorld, type WorldPart } from "./parts.ts";
import { planTraining } from "./plan.ts";
import { runPlan, type Trained } from "./train.ts";

type Options = TrainOptions<RecipeId, string>;
type Carried = TrainProgress["credit"];

/** A task that comes after another. */
export interface NextTask extends WorldPart {
  /** Its updates. Default: as many as the first has. */
  readonly steps?: number;
}

/** What a later task has left of an earlier one. */
export interface KeptEvent {
  readonly kind: "kept";
  /** The earlier task and the one after which it was measured, from 1. */
  readonly task: number;
  readonly after: number;
  readonly env: string;
  /** Success on its held-out tasks when its own training ended, and now; null where fewer than half were seen. */
  readonly had: number | null;
  readonly evaluation: Evaluation;
  /** `had` minus the success now. */
  readonly drop: number | null;
}

export type TrainInTurnEvent = TrainEvent | KeptEvent;

export interface TrainedInTurn {
  /** One for each task, in order; the last one's model knows most. */
  readonly tasks: readonly Trained[];
  readonly kept: readonly KeptEvent[];
}

/**
 * Trains on one world, then on others, with the same recipe and settings. Each has a folder of its own below `dir`.
 *
 * @example
 * const settings = { tasks: 1, group: 2, maxSteps: 2 };
 * const options = { recipe: "grpo", credit: "rapo", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings };
 * const { tasks, kept } = await trainInTurn(options, [{ env: "household", envOptions: { families: ["pick_two_obj_and_place"] } }]);
 * console.log(tasks.length, kept.map(({ task, after }) => [task, after])); // 2 [ [ 1, 2 ] ]
 */
export function trainInTurn(
  options: Options,
  next: readonly NextTask[],
  onEvent?: (event: TrainInTurnEvent) => void,
): Running<TrainedInTurn, TrainInTurnEvent> {
  return startRunning(async (emit) => {
    requireHere(options);
    const { env, envOptions, envName, world, demonstrator, ...shared } = options;
    const first = { env, envOptions, envName, world, demonstrator } as WorldPart;
    const opened = await Promise.all([first, ...next].map((part) => openWorld(part)));
    const { dir } = await planTraining(options);
    const [tasks, kept]: [Trained[], KeptEvent[]] = [[], []];
    let [model, carried]: [string | undefined, Carried] = [options.model, null];
    for (const [at, place] of opened.entries()) {
      const plan = await planTraining({
        ...shared,
        ...partOf(place),
        ...(model === undefined ? {} : { model }),
        ...withoutUndefined({ steps: next[at - 1]?.steps }),
        dir: join(dir, `${at + 1}-${place.id}`),
      });
      const end = await runPlan({ ...plan, carried: beginning(plan, carried, at + 1), onEvent: emit });
      model = join(resolve(plan.dir), "model");
      tasks.push({ ...end, dir: resolve(plan.dir), model });
      const left = await whatIsLeft(plan, model, opened.slice(0, at));
      carried = left.carried;
      for (const [earlier, evaluation] of left.evaluations.entries()) {
        const had = tasks[earlier]?.after.success ?? null;
        const drop = had === null || evaluation.success === null ? null : had - evaluation.success;
        const { name } = opened[earlier] as OpenedWorld;
        const event = { kind: "kept", task: earlier + 1, after: at + 1, env: name, had, evaluation, drop } as const;
        kept.push(event);
        emit(event);
      }
    }
    return { tasks, kept };
  }, onEvent);
}

/** What the credit method has kept, with the number of the task that begins now, where it counts tasks and updates. */
function beginning({ credit: { carries = {} } }: TrainingPlan, kept: Carried, task: number): Carried {
  const counts = Object.entries({ task, update: 0 }).filter(([name]) => Object.hasOwn(carries, name));
  return counts.length === 0 ? kept : { ...kept, ...Object.fromEntries(counts) };
}

/** The model of the task before must lie in a folder of this machine. */
function requireHere({ trainer, lag, openAway, lora = 0 }: Options): void {
  if (lora > 0) {
    throw new EngineError(
      "needs-unmet",
      "One task after another (--next) trains the weights: a fresh adapter for the next task would forget the one before. Leave out --next or --lora.",
    );
  }
  if (trainer === undefined && lag === undefined && openAway === undefined) return;
  throw new EngineError(
    "needs-unmet",
    "One task after another (--next) is trained here, with the model in this process. Leave out --next, or --trainer, --gpu, --lag and --fleet.",
  );
}

function partOf({ env, id, name, options, demonstrator }: OpenedWorld): WorldPart {
  return { env, envName: name, demonstrator, ...(options === undefined ? {} : { world: { id, options } }) };
}

/** How the model does in earlier worlds, on the same tasks and draws as at the end of their own trainings. */
async function whatIsLeft(
  { recipe, report, settings, seed, evaluationTemperature: temperature, threads, signal }: TrainingPlan,
  folder: string,
  earlier: readonly OpenedWorld[],
): Promise<{ readonly carried: Carried; readonly evaluations: readonly Evaluation[] }> {
  const model = await openModel(folder, { resume: true, ...(threads === undefined ? {} : { threads }) });
  try {
    const {
      credit = null,
      recipe: own = null,
      skills = {},
    } = (model.progress["training"] ?? {}) as Partial<TrainProgress>;
    const dialect = await createChatDialect(requireTokenizer(model));
    const agent = agentFor({ model, dialect, settings }, { temperature, tell: tellingSkills(skills) });
    const evaluations: Evaluation[] = [];
    for (const { env } of earlier) {
      const tasks = await tasksOf(env, report.split, 0, report.tasks);
      const world = cut(recipe.world?.(env, flattenSettings(settings), own, "evaluation") ?? env, settings.maxSteps);
      const { evaluation } = await evaluateAgent({ env: world, agent, tasks, seed: `${seed} report`, signal });
      evaluations.push(evaluation);
    }
    return { carried: credit, evaluations };
  } finally {
    await model.close();
  }
}
