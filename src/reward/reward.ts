/**
 * The contract of a reward: finished trajectories of a batch in, named judgements out.
 *
 * A method gives awards; the engine (`give-rewards.ts`) names them, says who gave them and checks them. What nobody can
 * score stays unscored with its reason. Whatever a method cannot know from the trajectories (a judge, a verifier, a
 * potential) comes in as an argument and is named in `needs`.
 */
import type { z } from "zod";
import type { Json, Score, Step, Trajectory } from "../trajectory/index.ts";

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

/** A moment of an episode: before the step `index`, or after the last one, where nobody knows the state key. */
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

/** What a reader wants to know; `docs/rewards.md` and `limbeck explain` are made from it. */
export interface RewardInfo {
  /** Its name in the registry. */
  readonly id: string;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  readonly paper: string;
  /** What the formula follows: published code, a paper, an abstract and our judgement, or what everybody does. */
  readonly confidence: "code" | "paper" | "inferred" | "practice";
  readonly formula: readonly string[];
  /** Where it departs from what was published. */
  readonly departures: readonly string[];
}

export type OptionSchema = z.ZodObject<z.ZodRawShape, z.core.$strict>;

interface Method extends RewardInfo {
  readonly needs: readonly Need[];
  /** What it takes where it is given, and what for. */
  readonly mayUse?: MayUse;
  /** Every option has a default and a description. */
  readonly options: OptionSchema;
}

/** A reward that is arithmetic alone. */
export interface PureReward extends Method {
  readonly asks: false;
  score(batch: readonly Trajectory[], options: Readonly<Record<string, unknown>>, givens: Givens): Awards;
}

/** A reward that waits for a judge or a verifier. */
export interface AskingReward extends Method {
  readonly asks: true;
  score(batch: readonly Trajectory[], options: Readonly<Record<string, unknown>>, givens: Givens): Promise<Awards>;
}

export type RewardMethod = PureReward | AskingReward;

type Given<Needs extends readonly Need[]> = Givens & { readonly [Name in Needs[number]]-?: NonNullable<Givens[Name]> };

interface Definition<Schema extends OptionSchema, Needs extends readonly Need[], Result> extends RewardInfo {
  readonly needs: Needs;
  readonly mayUse?: MayUse;
  readonly options: Schema;
  readonly score: (batch: readonly Trajectory[], options: z.output<Schema>, givens: Given<Needs>) => Result;
}

/** Makes an entry of the registry. What `needs` names is there, by type, in what `score` is given. */
export function defineReward<Schema extends OptionSchema, const Needs extends readonly Need[]>(
  definition: Definition<Schema, Needs, Awards>,
): PureReward {
  // `give-rewards.ts` has parsed the options and checked the needs before it calls.
  return { ...definition, asks: false };
}

/** The same for a reward that waits for an answer. */
export function defineAskingReward<Schema extends OptionSchema, const Needs extends readonly Need[]>(
  definition: Definition<Schema, Needs, Promise<Awards>>,
): AskingReward {
  return { ...definition, asks: true };
}
