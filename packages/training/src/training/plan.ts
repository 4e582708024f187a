/**
 * From what a person says to a training in which everything is decided. All defaults live here: the library and the
 * command line plan alike. Wherever a part is asked for, its name or the part itself will do.
 */
import { availableParallelism } from "node:os";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { getCredit } from "limbeck-core/credit/registry";
import type { CreditMethod } from "limbeck-core/credit/credit";
import { startingModel } from "limbeck-policy/policy/local/bundled-model";
import type { WeightKind } from "limbeck-policy/policy/local/quantised/kinds";
import {
  fittingStrategy,
  resolveSettings,
  policyLossOf,
  collectorOf,
  flatSettings,
} from "limbeck-core/recipe/settings";
import { getRecipe, type RecipeId } from "limbeck-core/recipe/registry";
import type { Recipe } from "limbeck-core/recipe/recipe";
import { readRewardPlan, plainRewardPlan } from "limbeck-core/reward/plan-file";
import { getStrategy, createStrategy } from "limbeck-core/rollout/registry";
import { openAnalyst } from "limbeck-core/skill/open-analyst";
import type { Writer } from "limbeck-core/skill/skill";
import { openWriter } from "limbeck-core/skill/writer/open-writer";
import { createWriterAnalyst } from "limbeck-core/skill/writer/writer-analyst";
import { playsItself, tasksOf } from "limbeck-core/update/collect";
import { DEFAULT_CORRECTION } from "limbeck-core/update/correction";
import { requirePool } from "limbeck-core/update/task-pool";
import { openActingThread } from "./play-ahead.ts";
import type { WeightsHere } from "./opened-model.ts";
import type { AwayPlan, TrainingPlan, TrainOptions } from "./options.ts";
import { newRunFolder, openWorld, roomFor, type OpenedWorld } from "./parts.ts";
import { playedSplits } from "./played-splits.ts";
import {
  createRunRewards,
  ownRewards,
  requireRewardNeeds,
  type RunRewards,
  goldIn,
  worldsVerdict,
} from "./run-rewards.ts";
import { requireScorer, scorerAt } from "./scorer/open-scorer.ts";
import { checkOptions, may } from "limbeck-base/base/options";
import { rewardTrajectories, plannedMethod } from "limbeck-core/reward/registry";
import type { RewardPlan } from "limbeck-core/reward/plan";
import { callsIn } from "limbeck-core/update/reference-calls";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import { rollOut } from "limbeck-core/walk/line/roll-out";
import type { Demonstrator } from "limbeck-core/env/expert";
import { providersFor } from "limbeck-core/update/providers/index";
import { flattenSettings, type Settings } from "limbeck-core/update/settings";

/** What the names of a training stand for. */
export interface ChosenMethods {
  readonly recipeName: string;
  readonly recipe: Recipe;
  readonly creditName: string;
  readonly credit: CreditMethod;
  readonly strategyName: string;
}

/** Those in the schema. */
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
  const model = startingModel(world.id, options.model);
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
    policyLoss: policyLossOf(settings.objective.name),
    ...(typeof strategy === "object" ? { strategy } : {}),
    ...(collect === undefined ? {} : { collector: collectorOf(collect, settings) }),
    settings,
    env: world.env,
    ...(demonstrator === undefined ? {} : { demonstrator }),
    model,
    analyst:
      options.analyst ??
      (writer === undefined
        ? await openAnalyst(settings.analyst ?? "statistics", environment, { cache: true })
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

/** With a trainer its rank is the trainer's; remote players are sent whole weights. */
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

// What `train` demands of the numbers among its options, before anything is opened.

export const TRAIN_CHECKS = {
  steps: may.count,
  seed: may.whole,
  evaluationTemperature: may.amount,
  stopAt: { kind: "limit", least: 0, most: 1 },
  checkpointEvery: may.count,
  lora: may.whole,
  lag: may.whole,
  threads: may.count,
  cores: may.count,
} as const;
/** Those inside an option, by its name. */
export const TRAIN_INNER_CHECKS = {
  validation: { every: may.whole, tasks: may.whole },
  report: { tasks: may.whole, midway: may.count },
  budget: { seconds: may.amount },
  trainer: { rank: may.whole },
  correction: { truncate: { kind: "limit", above: 0 }, rejectAbove: { kind: "limit", least: 0 } },
} as const;

function checkTrainOptions(options: TrainOptions<RecipeId, string>): void {
  checkOptions("train", options, TRAIN_CHECKS);
  for (const [name, table] of Object.entries(TRAIN_INNER_CHECKS)) {
    checkOptions("train", options[name as keyof typeof TRAIN_INNER_CHECKS], table, name);
  }
}

// Whether the rewards of a training can score an episode of its world at all, tried on one that went well.

/**
 * A plan that cannot score what the world's demonstrator does would teach nothing in all updates. Nobody is asked where
 * there is no demonstrator, where a judge would cost, or where the plan holds what only code gives.
 */
async function requireScores(plan: RewardPlan, world: OpenedWorld, signal: AbortSignal): Promise<void> {
  const { env, demonstrator } = world;
  const methods = plan.rewards.map(plannedMethod);
  if (demonstrator === undefined || plainRewardPlan(plan) === undefined) return;
  if (methods.some(({ needs }) => needs.includes("judge"))) return;
  // A scorer reads the tokens of a model, and a demonstrator has none.
  if (plan.rewards.some(({ scorer }) => scorer !== undefined)) return;
  const [task] = await tasksOf(env, "train", 0, 1);
  if (task === undefined) return;
  const agent = createDemonstratorAgent(demonstrator);
  const { trajectories } = await rollOut({
    env,
    agent,
    strategy: createStrategy("group", { size: 1 }),
    tasks: [task],
    seed: "rewards",
    signal,
  });
  const [shown] = trajectories;
  if (shown?.success !== true) return;
  const calls = shown.steps.flatMap(({ action }) => callsIn(action));
  const known = { ...goldIn(env, task), ...(calls.length === 0 ? {} : { calls }) };
  const gold = Object.keys(known).length === 0 ? {} : { gold: () => known };
  // Twice, since some rewards compare the episodes of a group.
  const pair = [shown, { ...shown, id: `${shown.id} again` }];
  const rewarded = await rewardTrajectories(pair, plan, { ...worldsVerdict, ...gold, signal });
  const [given] = rewarded.trajectories;
  // Of steps one will do: some rewards judge a few of them only.
  const scores = [
    ...(plan.reward === undefined || given === undefined ? [] : [[given.reward]]),
    ...(plan.stepReward === undefined ? [] : [given?.steps.map(({ reward }) => reward) ?? []]),
  ];
  const score = scores.find((some) => some.length > 0 && some.every(({ kind }) => kind === "unscored"))?.[0];
  if (score?.kind !== "unscored") return;
  throw new EngineError(
    "needs-unmet",
    `The rewards ${methods.map(({ id }) => id).join(", ")} cannot score an episode of "${env.id}": ${score.why}. Choose a world that has it (--env), another reward, or options that say where it is.`,
    { details: { world: env.id } },
  );
}

// A training that needs a demonstrator is refused before anything is played where there is none.

interface DemonstratedTraining {
  readonly names: { readonly recipe: string; readonly credit: string; readonly strategy: string; readonly env: string };
  readonly recipe: Recipe;
  readonly credit: CreditMethod;
  readonly settings: Settings;
  readonly demonstrator?: Demonstrator | undefined;
  /** Whether episodes come from the named strategy: not from a search, or from one that was given. */
  readonly walks: boolean;
  /** Whether a text model writes reflections and corrections. */
  readonly isWritten?: boolean;
}

/** What a teacher sees that only a demonstrator knows. */
const SOLVING_CONTEXTS: readonly unknown[] = ["answer", "reference-solution"];
/** Providers that ask for a solution of every task. */
const SOLVING_PROVIDERS: readonly string[] = ["answer-probability", "answer-teacher", "tool-references"];

function requireDemonstrator(training: DemonstratedTraining): void {
  if (training.demonstrator !== undefined) return;
  const [who] = askers(training);
  if (who === undefined) return;
  const { env } = training.names;
  throw new EngineError(
    "needs-unmet",
    `${who} needs somebody who can show how a task is done, and the world ${env} has no demonstrator here. Choose another one (limbeck methods says what each needs), a world that has one (limbeck envs), or give a demonstrator in code.`,
    { details: { world: env } },
  );
}

function askers({ names, recipe, credit, settings, walks, isWritten = false }: DemonstratedTraining): string[] {
  const { needs = [] } = walks ? getStrategy(names.strategy) : {};
  const { by, from } = settings.strategy ?? {};
  const chosen = walks ? [by, from] : [];
  const strategic = needs.some((need) => need === "corrector" || need === "reflector") || chosen.includes("corrector");
  const asked = providersFor(credit, settings.credit).some((id) => SOLVING_PROVIDERS.includes(id));
  return [
    ...(recipe.demonstrated?.(flattenSettings(settings)) === true ? [`The recipe ${names.recipe}`] : []),
    ...(SOLVING_CONTEXTS.includes(settings.context?.name)
      ? [`The context "${settings.context?.name}" of the recipe ${names.recipe}`]
      : []),
    ...(strategic && !isWritten ? [`The strategy ${names.strategy} of the recipe ${names.recipe}`] : []),
    ...(asked ? [`The credit method ${names.credit}`] : []),
  ];
}
