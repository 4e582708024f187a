/**
 * From what a person says to a training in which everything is decided. All defaults live here: the library and the
 * command line plan alike. Wherever a part is asked for, its name or the part itself will do.
 */
import { availableParallelism } from "node:os";
import { EngineError, withoutUndefined } from "../base/index.ts";
import { getCredit, type CreditMethod } from "../credit/index.ts";
import { bundledModel, bundledModelFor } from "../policy/local/bundled-model.ts";
import type { WeightKind } from "../policy/local/quantised/kinds.ts";
import { fittingStrategy, getRecipe, resolveSettings, type Recipe, type RecipeId } from "../recipe/index.ts";
import { policyLossOf } from "../recipe/objective-settings.ts";
import { collectorOf } from "../recipe/collect-settings.ts";
import { flatSettings } from "../recipe/given-settings.ts";
import { readRewardPlan } from "../reward/plan-file.ts";
import { getStrategy } from "../rollout/index.ts";
import { openAnalyst } from "../skill/open-analyst.ts";
import type { Writer } from "../skill/index.ts";
import { openWriter } from "../skill/writer/open-writer.ts";
import { createWriterAnalyst } from "../skill/writer/writer-analyst.ts";
import { playsItself } from "../update/collect.ts";
import { DEFAULT_CORRECTION } from "../update/correction.ts";
import { requirePool } from "../update/task-pool.ts";
import { openActingThread } from "./acting-thread.ts";
import type { WeightsHere } from "./opened-model.ts";
import { checkTrainOptions } from "./check-train-options.ts";
import type { AwayPlan, TrainingPlan, TrainOptions } from "./options.ts";
import { newRunFolder, openWorld, roomFor, type OpenedWorld } from "./parts.ts";
import { playedSplits } from "./played-splits.ts";
import { requireDemonstrator } from "./require-demonstrator.ts";
import { requireScores } from "./probe-rewards.ts";
import { createRunRewards, ownRewards, requireRewardNeeds, type RunRewards } from "./run-rewards.ts";
import { requireScorer, scorerAt } from "./scorer/open-scorer.ts";

/** What the names of a training stand for. */
export interface ChosenMethods {
  readonly recipeName: string;
  readonly recipe: Recipe;
  readonly creditName: string;
  readonly credit: CreditMethod;
  readonly strategyName: string;
}

/** Those that a schema tells too. */
export const DEFAULTS = { recipe: "opid", env: "household", steps: 50, seed: 1 } as const;

const OWN = "own";

/** Stands where the policy itself will write; until there is one, the template does. */
const NOBODY: Writer = {
  id: "policy",
  write: async ({ template }) => {
    const value = await template?.();
    return { value, by: value === undefined ? "nobody" : "template" };
  },
};

export function chosenMethods({
  recipe: asked = DEFAULTS.recipe,
  credit,
  strategy,
}: Pick<TrainOptions<RecipeId, string>, "recipe" | "credit" | "strategy">): ChosenMethods {
  const recipe = typeof asked === "string" ? getRecipe(asked) : asked;
  const method = credit ?? recipe.credit;
  const creditName = typeof method === "string" ? method : OWN;
  const strategyName = strategy ?? fittingStrategy(creditName, recipe).name;
  return {
    recipeName: typeof asked === "string" ? asked : OWN,
    recipe,
    creditName,
    credit: typeof method === "string" ? getCredit(method) : method,
    strategyName: typeof strategyName === "string" ? strategyName : OWN,
  };
}

export async function planTraining(options: TrainOptions<RecipeId, string>): Promise<TrainingPlan> {
  checkTrainOptions(options);
  const { recipeName, recipe, creditName, credit, strategyName } = chosenMethods(options);
  const { strategy, environment = process.env, now = Date.now } = options;
  if (typeof strategy === "string") getStrategy(strategy);
  requireCollecting(options, recipe, recipeName);
  const world = await openWorld(options);
  const plays = playedSplits(world.env, options);
  const settings = resolveSettings({
    name: recipeName,
    recipe,
    credit,
    strategy: strategyName === OWN ? "group" : strategyName,
    collect: options.collect,
    objective: options.objective,
    preset: options.preset,
    given: { ...roomFor(world.id, options.preset), ...flatSettings(options.settings ?? {}) },
    texts: options.texts ?? [],
  });
  requirePool(settings);
  const walks = options.collect === undefined && typeof strategy !== "object" && recipe.playsItself !== true;
  const { demonstrator } = world;
  const chosen = { recipe: recipeName, credit: creditName, strategy: strategyName, env: world.name };
  const isWritten = (options.writer ?? false) !== false;
  requireDemonstrator({ names: chosen, recipe, credit, settings, demonstrator, walks, isWritten });
  const writesItself = options.writer === "policy";
  const writer = writesItself ? NOBODY : await writerOf(options.writer, environment);
  const model = options.model ?? bundledModel(bundledModelFor(world.id));
  const engine = engineOf(options);
  const rewards = await rewardsOf(options, world, environment);
  const { collect, scorer } = options;
  const ofSteps = typeof scorer === "string" && (await requireScorer(scorer)).ofSteps;
  const names = {
    ...chosen,
    ...(scorer === undefined ? {} : { scorer: typeof scorer === "string" ? scorer : OWN }),
    ...(collect === undefined ? {} : { collect: typeof collect === "string" ? collect : OWN }),
  };
  const away = awayOf(options, () => {
    const others = (
      [
        ["credit", creditName],
        ["strategy", strategyName],
        ["scorer", scorer === undefined ? "" : OWN],
      ] as const
    ).find(([, name]) => name === OWN);
    if (world.options !== undefined && others === undefined) {
      const place = { id: world.id, options: world.options };
      return { model, credit: creditName, strategy: strategyName, settings, world: place, ...engine };
    }
    throw new EngineError(
      "needs-unmet",
      `Another thread plays ahead (lag), and it cannot have the ${others?.[0] ?? "env"} that was given as an object. Give its name, or leave lag out.`,
    );
  });
  return {
    names,
    recipe,
    credit,
    policyLoss: policyLossOf(settings["objective"]),
    ...(typeof strategy === "object" ? { strategy } : {}),
    ...(collect === undefined ? {} : { collector: collectorOf(collect, settings) }),
    settings,
    env: world.env,
    ...(demonstrator === undefined ? {} : { demonstrator }),
    model,
    analyst:
      options.analyst ??
      (writer === undefined
        ? await openAnalyst(String(settings["analyst"] ?? "statistics"), environment, { cache: true })
        : createWriterAnalyst(writer)),
    ...(writesItself ? { writesItself } : writer === undefined ? {} : { textWriter: writer }),
    ...(scorer === undefined
      ? {}
      : { outcomeScorer: typeof scorer === "string" ? scorerAt(scorer, { ofSteps }) : scorer }),
    ...(rewards === undefined ? {} : { rewards }),
    updates: options.steps ?? DEFAULTS.steps,
    seed: options.seed ?? DEFAULTS.seed,
    ...plays,
    evaluationTemperature: options.evaluationTemperature ?? 0.4,
    stopAt: options.stopAt ?? null,
    ...(options.enough === undefined ? {} : { enough: options.enough }),
    checkpointEvery: options.checkpointEvery ?? 5,
    budget: options.budget ?? {},
    dir: options.dir ?? (await newRunFolder("runs", recipeName, now())),
    ...(options.store === undefined ? {} : { store: options.store }),
    resume: options.resume ?? false,
    keep: options.keep ?? true,
    ...(options.trainer === undefined ? {} : { trainer: options.trainer }),
    ...loraOf(options),
    ...weightsOf(options),
    ...(away === undefined ? {} : { away }),
    ...engine,
    environment,
    ...(options.onBegin === undefined ? {} : { onBegin: options.onBegin }),
    onEvent: options.onEvent ?? (() => undefined),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    now,
    signal: options.signal ?? new AbortController().signal,
  };
}

/** What cannot be given, or cannot score anything here, is refused before anything is played for the training. */
async function rewardsOf(
  { reward, rewardAll, signal = new AbortController().signal }: TrainOptions<RecipeId, string>,
  world: OpenedWorld,
  environment: NonNullable<TrainOptions["environment"]>,
): Promise<RunRewards | undefined> {
  if (rewardAll !== undefined) return ownRewards(rewardAll);
  if (reward === undefined) return undefined;
  if (typeof reward !== "function") {
    const plan = typeof reward === "string" ? readRewardPlan(reward) : reward;
    await requireRewardNeeds(plan, environment);
    await requireScores(plan, world, signal);
  }
  return createRunRewards(reward, environment);
}

/** A search collects in the place of a strategy, here and with the newest weights. */
function requireCollecting(
  { collect, strategy, lag, openAway }: TrainOptions<RecipeId, string>,
  recipe: Recipe,
  name: string,
): void {
  if (collect === undefined) return;
  if (strategy !== undefined) {
    throw new EngineError("usage", "A search (collect) takes the place of the strategy; leave one of them out.");
  }
  if (recipe.playsItself === true) throw playsItself("--collect", `the recipe ${name}`);
  if (lag === undefined && openAway === undefined) return;
  throw new EngineError(
    "needs-unmet",
    "Searches collect here: others who play (--lag, --fleet) know strategies alone. Leave out --collect or the flag.",
  );
}

/** With a trainer its rank is the trainer's; those who play elsewhere are handed whole weights. */
function loraOf({ lora = 0, trainer, lag, openAway }: TrainOptions<RecipeId, string>): { readonly lora?: number } {
  if (lora === 0) return {};
  if (trainer === undefined && lag === undefined && openAway === undefined) return { lora };
  throw new EngineError(
    "needs-unmet",
    trainer === undefined
      ? "An adapter in this process (lora) cannot go with --lag or --fleet: those who play elsewhere are handed whole weights. Leave one of them out."
      : "With a trainer the rank of the adapter is the trainer's: trainer.rank. Leave lora out.",
  );
}

/** Numbers in few bits cannot learn; what learns beside them is an adapter. */
function weightsOf({ weights = "float32", lora = 0, trainer }: TrainOptions<RecipeId, string>): {
  readonly weights?: Exclude<WeightKind, "float32">;
} {
  if (weights === "float32" || weights === "auto") return {};
  if (trainer !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `weights ${weights} is for a model in this process; a trainer keeps its own. Leave it out.`,
    );
  }
  if (lora > 0) return { weights };
  throw new EngineError(
    "needs-unmet",
    `weights ${weights} cannot learn; give an adapter's rank too (--lora RANK), or weights float32.`,
  );
}

/** Where one thread plays while the other learns, each gets half of the machine; the results are the same either way. */
function engineOf({
  threads,
  cores,
  draft,
  lag = 0,
  openAway,
  trainer,
}: TrainOptions<RecipeId, string>): Pick<TrainingPlan, "threads" | "draft" | "cores"> {
  if (cores !== undefined && trainer !== undefined) {
    throw new EngineError(
      "needs-unmet",
      "Cores are for a model in this process; with a trainer they are the trainer's. Leave cores out.",
    );
  }
  if (draft === "model") {
    throw new EngineError(
      "bad-option",
      'draft is "model", which rollout, eval and search have; allowed in a training: off, ngram, heads, auto.',
    );
  }
  const half = openAway === undefined && lag > 0 ? Math.max(1, Math.floor(availableParallelism() / 2)) : undefined;
  return withoutUndefined({ threads: threads ?? (cores === undefined ? half : undefined), draft, cores });
}

function awayOf(
  { lag, correction, openAway, trainer }: TrainOptions<RecipeId, string>,
  setup: () => Parameters<typeof openActingThread>[0],
): AwayPlan | undefined {
  if (lag === undefined && openAway === undefined) return undefined;
  const common = { lag: lag ?? 0, correction: { ...DEFAULT_CORRECTION, ...withoutUndefined({ ...correction }) } };
  if (openAway !== undefined) return { ...common, open: openAway };
  if (trainer !== undefined) return common;
  const acting = setup();
  return { ...common, open: (share) => openActingThread(acting, share as WeightsHere) };
}

/** One that was given is the caller's to close. */
async function writerOf(
  asked: TrainOptions["writer"],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Writer | undefined> {
  if (asked === undefined || asked === false) return undefined;
  if (typeof asked === "object") return { id: asked.id, write: asked.write.bind(asked) };
  return await openWriter(asked === true ? "chat" : asked, { environment });
}
