/** A short search for settings: many short trainings on the same seeds, the better half goes on, until the budget is spent. */
import { checkOptions, may } from "limbeck-base/base/options";
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { defaultJobs, runPlan } from "limbeck-training/arena/run-plan";
import { readResults, type RunResult, spentAt } from "limbeck-training/arena/results";
import type { ArmInput } from "limbeck-training/arena/vary";
import { halve, roundSizes, type Round, type RoundOutcome } from "limbeck-training/arena/tune/halving";
import {
  parseTuneBudget,
  storedTune,
  storeTune,
  type StoredTune,
  type TuneBudget,
} from "limbeck-training/arena/tune/stored-tune";
import { chooseTrials, searchedOver } from "limbeck-training/arena/tune/trials";
import { tuneSummary, type TuneSummary } from "limbeck-training/arena/tune/tuned";
import { EngineError } from "limbeck-base/base/errors";
import { startRunning, type Running } from "limbeck-base/base/running";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { OptionValue } from "limbeck-base/base/option-table";
import { openWorld, newRunFolder, roomFor, validationSplit } from "limbeck-training/training/parts";
import { planArena, type ArenaEvent, type ArenaOptions } from "./arena.ts";

export interface TuneOptions extends Pick<
  ArenaOptions,
  "reward" | "env" | "envOptions" | "model" | "seeds" | "threads"
> {
  /** The recipe whose settings are tried. Default: "grpo". */
  readonly recipe?: string | undefined;
  readonly credit?: string | undefined;
  readonly strategy?: string | undefined;
  readonly objective?: string | undefined;
  readonly preset?: string | undefined;
  /** Settings of every trial, by their flat names: `{ "credit.gamma": 0.9 }`. */
  readonly settings?: Readonly<Record<string, OptionValue>> | undefined;
  /**
   * What is tried: a list of values for each setting, or null for multiples of the recipe's own value. Default: the learning
   * rate, the group size and, where the recipe lets it change, the temperature.
   */
  readonly over?: Readonly<Record<string, readonly OptionValue[] | null>> | undefined;
  /** Combinations of these values that are tried. Default: 6. */
  readonly trials?: number | undefined;
  /** Of the whole tune: "steps=60000", "tokens=…", "model-tokens=…", "minutes=…". Default: "steps=60000". */
  readonly budget?: string | TuneBudget | undefined;
  /** Validation tasks at the end of a round. Default: 48. */
  readonly validationTasks?: number | undefined;
  /** Words of a command line that trains as the trials do, to be kept with the tune. Default: none. */
  readonly words?: readonly string[] | undefined;
}

export interface RunTuneOptions extends TuneOptions {
  /** The whole plan, in the place of the options above. */
  readonly plan?: StoredTune;
  /** Folder of the tune. Default: a new one in `runs`. */
  readonly dir?: string | undefined;
  /** Go on with the tune in `dir`, by its own plan. Default: no. */
  readonly resume?: boolean;
  /** Runs side by side. Default: as many as the machine has cores for. */
  readonly jobs?: number | undefined;
  readonly onEvent?: (event: TuneEvent) => void;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds, for a budget in minutes. Default: the clock's. */
  readonly now?: () => number;
  /** The program of one run, where it is not the package's own: a bundle of it. */
  readonly program?: string;
}

export const TUNE_CHECKS = {
  seeds: { ...may.count, or: "object" },
  threads: may.count,
  trials: may.count,
  validationTasks: may.count,
  jobs: may.count,
} as const;

export type TuneEvent =
  | ArenaEvent
  | {
      readonly kind: "round";
      /** From 1. */
      readonly round: number;
      readonly rounds: number;
      readonly trials: readonly string[];
      /** What each run may have spent at its end. */
      readonly amount: number;
    }
  | { readonly kind: "halved"; readonly round: number; readonly outcome: Round };

export interface Tuned extends TuneSummary {
  readonly dir: string;
  readonly tune: StoredTune;
}

/** The recipe that is tuned where none is named. */
export const TUNED_RECIPE = "grpo";
const TRIALS = 6;
const BUDGET = "steps=60000";
/** Only the ends of a round are measured. */
const NEVER = 100_000;

/** From what a person says to a tune in which everything is decided. */
export async function planTune(options: TuneOptions & Pick<RunTuneOptions, "jobs">): Promise<StoredTune> {
  const {
    recipe = "grpo",
    env = "household",
    settings = {},
    over = {},
    budget = BUDGET,
    trials: most = TRIALS,
  } = options;
  const { credit, strategy, objective, preset } = options;
  const chosen = withoutUndefined({ credit, strategy, objective, preset });
  const given = Object.entries({ ...roomFor(env, preset), ...settings, ...chosen }).map(
    ([name, value]) => [name, String(value)] as const,
  );
  const texts = Object.entries(over).map(([name, values]) =>
    values === null ? name : `${name}=${values.map(String).join(",")}`,
  );
  const tuned = { recipe, given };
  const trials = chooseTrials(tuned, searchedOver(tuned, texts), most);
  const { envOptions = {} } = options;
  const { env: world } = await openWorld({ env, envOptions });
  const plan = await planArena({
    ...withoutUndefined({
      reward: options.reward,
      model: options.model,
      seeds: options.seeds,
      threads: options.threads,
    }),
    env,
    envOptions,
    arms: trials.map(({ arm }): ArmInput => arm),
    evaluation: {
      every: NEVER,
      finalTasks: 0,
      split: validationSplit(world.splits),
      ...withoutUndefined({ tasks: options.validationTasks }),
    },
    // Each round has its own.
    budget: { account: "steps", amount: 1 },
  });
  return {
    version: 1,
    budget: typeof budget === "string" ? parseTuneBudget(budget) : budget,
    jobs: options.jobs ?? defaultJobs(plan.threads),
    trials: trials.map(({ arm: { name }, values, own }) => ({ name, values: { ...values }, own })),
    words: [...(options.words ?? [])],
    plan: { ...plan, goesOn: true },
    rounds: [],
  };
}

/**
 * Tries settings of a recipe within a budget and says which to train with, and what was too close to call.
 *
 * @example
 * import { tuneWords } from "limbeck/training";
 *
 * const found = await tune({
 *   recipe: "grpo",
 *   over: { learningRate: [1e-4, 1e-3] },
 *   seeds: 1,
 *   budget: "steps=4",
 *   settings: { tasks: 1, group: 2, maxSteps: 2 },
 *   validationTasks: 1,
 * });
 * console.log(found.best?.values, tuneWords(found));
 */
export function tune(options: RunTuneOptions = {}): Running<Tuned, TuneEvent> {
  return startRunning(async (emit) => {
    checkOptions("tune", options, TUNE_CHECKS);
    const dir = resolve(options.dir ?? (await newRunFolder("runs", "tune", Date.now())));
    const begun = await tuneFor(options, dir);
    await mkdir(dir, { recursive: true });
    await storeTune(dir, begun);
    const rounds = await halve({
      trials: begun.trials.map(({ name }) => name),
      seeds: begun.plan.seeds.length,
      budget: begun.budget.amount * (isTimed(begun) ? 60 * begun.jobs : 1),
      done: begun.rounds,
      train: createRounds(begun, dir, options, emit),
      onRound: async (done) => {
        await storeTune(dir, { ...begun, rounds: done });
        emit({ kind: "halved", round: done.length, outcome: done.at(-1) as Round });
      },
    });
    const ended = { ...begun, rounds };
    return { ...tuneSummary(ended, await readResults(begun.plan, dir)), dir, tune: ended };
  }, options.onEvent);
}

async function tuneFor(options: RunTuneOptions, dir: string): Promise<StoredTune> {
  const stored = await storedTune(dir);
  if (stored === undefined) {
    if (options.resume !== true) return options.plan ?? (await planTune(options));
    throw new EngineError("nothing-to-resume", `"${dir}" holds no tune (no tune.json).`);
  }
  if (options.resume === true) return stored;
  throw new EngineError("target-exists", `"${dir}" holds a tune. Go on with it by resume, or give another dir.`);
}

function isTimed({ budget }: StoredTune): boolean {
  return budget.account === "minutes";
}

/** One round: an arena of the trials that are left, whose runs go on from where they are. */
function createRounds(
  tune: StoredTune,
  dir: string,
  { jobs = tune.jobs, signal = new AbortController().signal, now = Date.now, program }: RunTuneOptions,
  emit: (event: TuneEvent) => void,
): (trials: readonly string[], amount: number, round: number) => Promise<RoundOutcome> {
  const { plan, budget } = tune;
  const account = budget.account === "minutes" ? "seconds" : budget.account;
  const sizes = roundSizes(tune.trials.length);
  const spentBy = ({ updates }: RunResult): number => {
    const last = updates.at(-1);
    return last === undefined ? 0 : spentAt(account, last);
  };
  let spent = tune.rounds.at(-1)?.spent ?? 0;
  return async (trials, amount, round) => {
    emit({ kind: "round", round: round + 1, rounds: sizes.length, trials, amount });
    const arms = plan.arms.filter(({ name }) => trials.includes(name));
    const total = async (): Promise<number> =>
      (await readResults(plan, dir)).reduce((sum, run) => sum + spentBy(run), 0);
    const [began, before] = [now(), await total()];
    await runPlan({
      plan: { ...plan, arms, budget: { account, amount } },
      dir,
      jobs,
      signal,
      ...withoutUndefined({ program }),
      onLine: (run, line) => emit({ kind: "line", run, line }),
      onEnd: (run, ended) => emit({ kind: "end", run, ended }),
    });
    const results = await readResults(plan, dir);
    const scores = Object.fromEntries(
      trials.map((name) => [
        name,
        results
          .filter(({ arm }) => arm === name)
          .map(({ finished, points }) => (finished ? (points.at(-1)?.success ?? null) : null)),
      ]),
    );
    if (!isTimed(tune)) return { scores, spent: await total() };
    // As many seconds pass as there are runs side by side.
    const passed = ((now() - began) / 1_000) * jobs;
    spent += passed;
    const overhead = Math.max(0, passed - ((await total()) - before)) / (trials.length * plan.seeds.length);
    return { scores, spent, overhead };
  };
}
