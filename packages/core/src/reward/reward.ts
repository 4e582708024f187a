/**
 * The contract of a reward: finished trajectories of a batch in, named judgements out.
 *
 * A method gives awards; the engine (`give-rewards.ts`) names them with their source and checks them. What cannot
 * be scored stays unscored with its reason. Whatever a method cannot know from the trajectories (a judge, a verifier, a
 * potential) comes in as an argument and is named in `needs`.
 */
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import type { MethodInfo } from "limbeck-base/base/method-info";
import { awaitWork, badAnswer, callPart } from "limbeck-base/base/parts/contain";
import { kindOfValue, madePart, type PartHome, type PartKind } from "limbeck-base/base/parts/part";
import type { Json } from "limbeck-base/base/json";
import type { Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";

/** One judgement before it has a name: of the trajectory, of one of its own steps, or of tokens of a step's response. */
export interface Award {
  /** Which part of the reward; absent for the reward itself. Stored as `name.part`. */
  readonly part?: string;
  readonly score: Score;
  readonly step?: number;
  readonly tokens?: { readonly start: number; readonly end: number };
  readonly comment?: string;
}

export interface Awards {
  /** One list for each trajectory of the batch, in its order. */
  readonly awards: readonly (readonly Award[])[];
  readonly metrics?: Readonly<Record<string, number>>;
  /** The least rounds known to solve each task, to be given to the next batch. */
  readonly references?: References;
}

/** The least rounds, or steps, known to solve a task, by its id. */
export type References = ReadonlyMap<string, number>;

/** What a verifier says. Null: it cannot say, which is not a zero. */
export type Verdict =
  | number
  | boolean
  | null
  | { readonly score: number | boolean | null; readonly comment?: string | undefined };

/** A moment of an episode: before the step `index`, or after the last one, where the state key is unknown. */
export interface Moment {
  readonly trajectory: Trajectory;
  readonly index: number;
  readonly observation: string;
  readonly stateKey: string | undefined;
}

/** What the right calls and the right answer would have been. */
export interface Gold {
  readonly calls?: readonly { readonly name: string; readonly arguments: { readonly [key: string]: Json } }[];
  readonly answer?: string;
  /** A structured output, for rewards of structure. */
  readonly value?: Json;
  /** What is seen on the way to the goal, in order, for rewards of progress. */
  readonly subgoals?: readonly string[];
}

/** What comes from outside. Functions may fail: what they could not score is then unscored. */
export interface Givens {
  readonly verify?: (trajectory: Trajectory) => Verdict | Promise<Verdict>;
  /** A model that answers a prompt. */
  readonly judge?: (prompt: string) => Promise<string>;
  /** How promising a moment is. */
  readonly potential?: (moment: Moment) => number;
  /** A score for each step of the episode, in order: a process reward model. */
  readonly scoreSteps?: (
    trajectory: Trajectory,
    steps: readonly Step[],
  ) => ArrayLike<number> | Promise<ArrayLike<number>>;
  /** A log-probability for each token of the step's response. */
  readonly scoreTokens?: (trajectory: Trajectory, step: Step) => ArrayLike<number> | Promise<ArrayLike<number>>;
  readonly gold?: (trajectory: Trajectory) => Gold | undefined;
  readonly references?: References;
  readonly signal?: AbortSignal;
}

/** Givens that a reward can do without. */
export type MayUse = Readonly<Partial<Record<"gold" | "references", string>>>;

export type Need = "verify" | "judge" | "potential" | "scoreSteps" | "scoreTokens";

interface Method<Table extends DeepTable = DeepTable> {
  /** Its name in the registry. */
  readonly id: string;
  readonly info: MethodInfo;
  readonly needs: readonly Need[];
  /** What it takes where it is given, and what for. */
  readonly mayUse?: MayUse;
  readonly options: Table;
}

/** A reward that is arithmetic alone. */
export interface PureReward extends Method {
  readonly asks: false;
  score(batch: readonly Trajectory[], options: OptionValues<DeepTable>, givens: Givens): Awards;
}

/** A reward that waits for a judge or a verifier. */
export interface AskingReward extends Method {
  readonly asks: true;
  score(batch: readonly Trajectory[], options: OptionValues<DeepTable>, givens: Givens): Promise<Awards>;
}

export type RewardMethod = PureReward | AskingReward;

type Given<Needs extends readonly Need[]> = Givens & { readonly [Name in Needs[number]]-?: NonNullable<Givens[Name]> };

interface Definition<Table extends DeepTable, Needs extends readonly Need[], Result> extends Omit<
  Method<Table>,
  "needs" | "info" | "options"
> {
  /** What it means, in a sentence. Default of the rest: its id as title, our own, common practice, no formula. */
  readonly info: Pick<MethodInfo, "meaning"> & Partial<MethodInfo>;
  /** Default: nothing but trajectories. */
  readonly needs?: Needs;
  /** Default: none. */
  readonly options?: Table;
  readonly score: (batch: readonly Trajectory[], options: OptionValues<Table>, givens: Given<Needs>) => Result;
}

const PURE: PartKind<PureReward> = {
  kind: "reward",
  maker: "defineReward",
  functions: ["score"],
  guard: (method, home) => ({
    ...method,
    score: (batch, options, givens) =>
      checkAwards(
        callPart(home, "score", () => method.score(batch, options, givens)),
        batch,
        home,
      ),
  }),
};

const ASKING: PartKind<AskingReward> = {
  kind: "reward",
  maker: "defineAskingReward",
  functions: ["score"],
  guard: (method, home) => ({
    ...method,
    score: async (batch, options, givens) =>
      checkAwards(await awaitWork(home, "score", () => method.score(batch, options, givens)), batch, home),
  }),
};

/**
 * Makes a reward: from finished episodes to what each is worth. What `needs` names is there, by type, in what `score` is
 * given.
 *
 * @example
 * const brevity = defineReward({
 *   id: "brevity",
 *   info: { meaning: "A success is worth more the fewer steps it took." },
 *   score: (batch) => ({
 *     awards: batch.map(({ success, steps }) =>
 *       success === null ? [{ score: unscored("no score") }] : [{ score: scored(success ? 1 / steps.length : 0) }],
 *     ),
 *   }),
 * });
 * const reward = { rewards: [{ use: brevity }], reward: "brevity" };
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1, reward });
 * console.log(trajectories[0]?.reward); // { kind: "scored", value: 1 }
 */
export function defineReward<const Table extends DeepTable = {}, const Needs extends readonly Need[] = []>(
  definition: Definition<Table, Needs, Awards>,
): PureReward {
  // `give-rewards.ts` has parsed the options and checked the needs before it calls.
  return madePart<PureReward>({ ...whole(definition), asks: false }, PURE);
}

/**
 * The same for a reward that waits for an answer.
 *
 * @example
 * const kindness = defineAskingReward({
 *   id: "kindness",
 *   info: { meaning: "Whatever the one that is asked says." },
 *   score: async (batch) => ({ awards: await Promise.all(batch.map(async () => [{ score: scored(1) }])) }),
 * });
 * const reward = { rewards: [{ use: kindness }], reward: "kindness" };
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1, reward });
 * console.log(trajectories[0]?.reward); // { kind: "scored", value: 1 }
 */
export function defineAskingReward<const Table extends DeepTable = {}, const Needs extends readonly Need[] = []>(
  definition: Definition<Table, Needs, Promise<Awards>>,
): AskingReward {
  return madePart<AskingReward>({ ...whole(definition), asks: true }, ASKING);
}

/** With the defaults of what a short definition leaves out. */
function whole<Table extends DeepTable, Needs extends readonly Need[], Result>(
  definition: Definition<Table, Needs, Result>,
) {
  const { id, info, options = {}, needs = [] } = definition;
  const plain = { title: id, paper: "Our own", confidence: "practice", formula: [], departures: [] } as const;
  return { ...definition, info: { ...plain, ...info }, options, needs };
}

// Whether what a reward from a user's file gave is an answer: a list for each trajectory, and scores that are numbers.

function checkAwards<Given>(given: Given, batch: readonly { readonly id: string }[], home: PartHome): Given {
  const fault = awardsFault(given, batch);
  if (fault === undefined) return given;
  throw badAnswer(home, "score", fault);
}

function awardsFault(given: unknown, batch: readonly { readonly id: string }[]): string | undefined {
  if (typeof given !== "object" || given === null) return `it gave ${kindOfValue(given)}, not { awards }`;
  const awards: unknown = "awards" in given ? given.awards : undefined;
  if (!Array.isArray(awards)) return `"awards" is ${kindOfValue(awards)}, not a list`;
  if (awards.length !== batch.length) return `it gave ${awards.length} lists for ${batch.length} trajectories`;
  for (const [at, list] of awards.entries()) {
    const whose = `of the trajectory "${batch[at]?.id}"`;
    if (!Array.isArray(list)) return `what it gave ${whose} is ${kindOfValue(list)}, not a list of awards`;
    for (const award of list as unknown[]) {
      const score: unknown = typeof award === "object" && award !== null && "score" in award ? award.score : undefined;
      const fault = scoreFault(score);
      if (fault !== undefined) return `the score ${whose} is ${fault}`;
    }
  }
  return undefined;
}

function scoreFault(score: unknown): string | undefined {
  const { kind, value } = (typeof score === "object" && score !== null ? score : {}) as Record<string, unknown>;
  if (kind === "unscored") return undefined;
  if (kind !== "scored") return `${kindOfValue(score)}, neither scored(a number) nor unscored(a reason)`;
  return Number.isFinite(value) ? undefined : `${String(value)}, which is not a finite number`;
}
