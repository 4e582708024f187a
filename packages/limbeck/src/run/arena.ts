/** Recipes against each other on the same tasks, starting weights, draws and budget. */
import { checkOptions, may } from "limbeck-base/base/options";
import { resolve } from "node:path";
import { readPlan, type ArenaPlan, type ArenaPlanInput } from "limbeck-training/arena/plan";
import { readResults } from "limbeck-training/arena/results";
import { runPlan, storedPlan, type RunEnd, type RunName } from "limbeck-training/arena/run-plan";
import { summarise, type ArenaSummary } from "limbeck-training/arena/summary";
import { writeArena, type ArenaFiles } from "limbeck-training/arena/write-arena";
import { type ArmInput, variedArms } from "limbeck-training/arena/vary";
import { type Budget, parseBudget } from "limbeck-training/arena/budget";
import type { JournalLine } from "limbeck-training/arena/journal";
import { EngineError } from "limbeck-base/base/errors";
import { startRunning, type Running } from "limbeck-base/base/running";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { OptionValue } from "limbeck-base/base/option-table";
import { getRecipe } from "limbeck-core/recipe/registry";
import { startingModel } from "limbeck-policy/policy/local/bundled-model";
import { settingsTable } from "limbeck-core/recipe/settings";
import { plainRewardPlan } from "limbeck-core/reward/plan-file";
import type { RewardPlan } from "limbeck-core/reward/plan";
import { openWorld, type WorldPart, heldOut, newRunFolder, roomFor } from "limbeck-training/training/parts";
import { requireSplit } from "limbeck-training/training/played-splits";
import { DEFAULTS } from "./defaults.ts";

export interface ArenaOptions {
  /** Recipes by name, or arms with settings of their own. Default: grpo, gigpo and opid. */
  readonly arms?: readonly (string | ArmInput)[] | undefined;
  /** One arm of every named recipe for each combination of values: `{ teacher: ["self", "ema"] }`. */
  readonly vary?: Readonly<Record<string, readonly OptionValue[]>>;
  /** A setting of every arm that has it, by its flat name: `{ "credit.gamma": 0.9 }`. */
  readonly settings?: Readonly<Record<string, OptionValue>>;
  /** Rewards of every arm that has none of its own, in the place of the world's. Default: the world's. */
  readonly reward?: string | RewardPlan | undefined;
  /** A world by name: every run is a process of its own. Default: "household". */
  readonly env?: string | undefined;
  /** Default: those that its bundled model was made for. */
  readonly envOptions?: WorldPart["envOptions"];
  /** Share of the words of an observation that are lost or garbled. Default: 0. */
  readonly noise?: number | undefined;
  /** Folder of the model to start from. Default: the bundled one of the world. */
  readonly model?: string | undefined;
  /** How many, from 1 on, or the seeds themselves. Default: 3. */
  readonly seeds?: number | readonly number[] | undefined;
  /** Of each run: "steps=8000", "tokens=…", "seconds=…", "updates=…". Default: "steps=8000". */
  readonly budget?: string | Budget | undefined;
  /** Default: 48 tasks every 3 updates, 96 held-out tasks at the end. */
  readonly evaluation?: ArenaPlanInput["evaluation"];
  /** Threads of one run. Default: 1. */
  readonly threads?: number | undefined;
  /** Keep every run in the store, and its model. Default: no. */
  readonly keepRuns?: boolean | undefined;
  /** Success to reach; the report says after how many steps. Default: 0.6 and 0.8. */
  readonly targets?: readonly number[] | undefined;
  /** The arm that the others are compared with. Default: all pairs are compared. */
  readonly baseline?: string | null | undefined;
}

export interface RunArenaOptions extends ArenaOptions {
  /** The whole plan, in the place of the options above. */
  readonly plan?: ArenaPlan;
  /** Folder of the arena. Default: a new one in `runs`. */
  readonly dir?: string;
  /** Go on with the arena in `dir`, by its own plan. Default: no. */
  readonly resume?: boolean;
  /** Runs side by side. Default: as many as the machine has cores for. */
  readonly jobs?: number | undefined;
  readonly onEvent?: (event: ArenaEvent) => void;
  readonly signal?: AbortSignal;
}

export const ARENA_CHECKS = {
  noise: may.share,
  seeds: { ...may.count, or: "object" },
  threads: may.count,
  jobs: may.count,
} as const;

export type ArenaEvent =
  | { readonly kind: "line"; readonly run: RunName; readonly line: JournalLine }
  | { readonly kind: "end"; readonly run: RunName; readonly ended: RunEnd };

export interface ArenaResult {
  readonly summary: ArenaSummary;
  readonly files: ArenaFiles;
  readonly dir: string;
  /** Runs that failed; the others went on. */
  readonly failed: number;
}

/** From what a person says to a plan in which everything is decided. */
export async function planArena(options: ArenaOptions): Promise<ArenaPlan> {
  const { envOptions = {}, evaluation, seeds = DEFAULTS.seeds, budget = DEFAULTS.budget } = options;
  const world = await openWorld({ env: options.env ?? "household", envOptions });
  const { id: env } = world;
  requireSplit(world.env, "train", "The arena", `Its arms are trainings, which play the split "train".`);
  const { noise, threads, keepRuns, targets, baseline } = options;
  return readPlan({
    version: 1,
    arms: armsOf(options, env),
    seeds: typeof seeds === "number" ? Array.from({ length: seeds }, (_, at) => at + 1) : seeds,
    env,
    envOptions: world.options,
    model: resolve(startingModel(env, options.model)),
    budget: typeof budget === "string" ? parseBudget(budget) : budget,
    evaluation: {
      split: heldOut(world.env.splits, "valid"),
      finalSplit: heldOut(world.env.splits, "test"),
      ...withoutUndefined({ ...evaluation }),
    },
    ...withoutUndefined({ noise, threads, keepRuns, targets, baseline }),
  });
}

/** Runs of an arena are processes of their own, which have what a file can hold. */
function namedRewards(plan: RewardPlan): NonNullable<ArmInput["reward"]> {
  const plain = plainRewardPlan(plan);
  if (plain !== undefined) return plain as NonNullable<ArmInput["reward"]>;
  throw new EngineError(
    "usage",
    "The rewards of an arena are named: each run is a process of its own, which has no code of yours.",
  );
}

/**
 * A setting given for all goes to the arms that have it, beneath what an arm says itself; one that none has is a slip of
 * the fingers. Room for the answers of the world is such a setting; a preset brings its own.
 */
function armsOf({ arms = DEFAULTS.arms, vary = {}, settings = {}, reward }: ArenaOptions, env: string): ArmInput[] {
  const varied = Object.entries(vary).map(([key, values]) => [key, values.map(String)] as const);
  const given = Object.entries(settings).map(([key, value]) => [key, String(value)] as const);
  const knows = (recipe: string, key: string): boolean => {
    const known = getRecipe(recipe);
    return Object.hasOwn(settingsTable(known, known.credit), key);
  };
  const recipes = arms.map((arm) => (typeof arm === "string" ? arm : arm.recipe));
  const stray = given.find(([key]) => !recipes.some((recipe) => knows(recipe, key)));
  if (stray !== undefined) {
    throw new EngineError("usage", `None of ${recipes.join(", ")} has a setting "${stray[0]}".`);
  }
  const rewarded = (arm: ArmInput): ArmInput =>
    reward === undefined ? arm : { reward: typeof reward === "string" ? reward : namedRewards(reward), ...arm };
  return arms.flatMap((arm) => {
    const { recipe, preset } = typeof arm === "string" ? { recipe: arm, preset: undefined } : arm;
    const room = Object.entries(roomFor(env, preset)).map(([key, value]) => [key, String(value)] as const);
    const own = [...room, ...given.filter(([key]) => knows(recipe, key))];
    if (typeof arm === "string") return variedArms(arm, varied, own).map(rewarded);
    return variedArms(recipe, [], own).map(({ settings: all }) =>
      rewarded({ ...arm, settings: { ...all, ...arm.settings } }),
    );
  });
}

/** Trains every arm with every seed, each in a process of its own, and says what the data can tell apart. */
export function arena(options: RunArenaOptions = {}): Running<ArenaResult, ArenaEvent> {
  return startRunning(async (emit) => {
    checkOptions("arena", options, ARENA_CHECKS);
    const dir = resolve(options.dir ?? (await newRunFolder("runs", "arena", Date.now())));
    const plan = await planFor(options, dir);
    let failed = 0;
    await runPlan({
      plan,
      dir,
      ...withoutUndefined({ jobs: options.jobs }),
      signal: options.signal ?? new AbortController().signal,
      onLine: (run, line) => emit({ kind: "line", run, line }),
      onEnd: (run, ended) => {
        if (ended.how === "failed") failed += 1;
        emit({ kind: "end", run, ended });
      },
    });
    const summary = summarise(plan, await readResults(plan, dir));
    return { summary, files: await writeArena(summary, dir), dir, failed };
  }, options.onEvent);
}

async function planFor(options: RunArenaOptions, dir: string): Promise<ArenaPlan> {
  const stored = await storedPlan(dir);
  if (stored === undefined) return options.plan ?? (await planArena(options));
  if (options.resume === true) return options.plan ?? stored;
  throw new EngineError("target-exists", `"${dir}" holds an arena. Go on with it by resume, or give another dir.`);
}
