/**
 * What somebody else measured for a row: scores of answers, values of states, tool calls, snapshots. Estimators say by
 * their needs which of these they read; who provides them is not this room's business.
 */
import { z } from "zod";
import type { Json } from "../trajectory/index.ts";
import type { CreditRow } from "./credit.ts";
import { rowFault } from "./row-name.ts";

/** A quantity just before the row's action, and once its observation is known. */
export interface BeforeAfter {
  readonly before: number;
  readonly after: number;
}

export interface CalledTool {
  readonly name: string;
  /** Null where they could not be parsed. */
  readonly arguments: Readonly<Record<string, Json>> | null;
}

export interface RowSignals {
  /** Mean log-probability of the reference answer's tokens. */
  readonly answerLogprob?: BeforeAfter;
  /** The cluster of the trajectory's final answer (null: it gave none), and its members' likelihood around this turn. */
  readonly cluster?: BeforeAfter & { readonly id: string | null; readonly evidence?: number };
  readonly calls?: readonly CalledTool[];
  /** Reference calls of the task; the same on all rows of a trajectory. */
  readonly goldCalls?: readonly CalledTool[];
  /** What the row says as its final answer. */
  readonly answer?: string;
  readonly toolSucceeded?: boolean;
  /** Mean score of continuations from the prefix that ends with this token; -1 is the prompt. Ascending. */
  readonly cuts?: readonly { readonly token: number; readonly value: number }[];
  /** Mean return of continuations from the state; `after` is that of the next row unless given. */
  readonly stateValue?: { readonly before: number; readonly after?: number };
  /** Mean return of continuations after the row's own action, and after each legal one. */
  readonly actionValue?: number;
  readonly legalValues?: readonly number[];
  /** The frozen memory the row was sampled from, among alternatives, and what the row earned locally. */
  readonly snapshot?: { readonly id: string; readonly reward: number };
  /** Rewards of the response up to and with a token, and of the rest; null: the response has no boundary. */
  readonly split?: BeforeAfter & { readonly token: number | null };
  /** Correct steps that the prompt gave away. */
  readonly guidedSteps?: number;
  readonly promptTokens?: number;
  /** Tokens of the response that a branch shares with its parent and does not hold itself. */
  readonly skippedTokens?: number;
  /** Which of several parts the policy played: planner, executor. */
  readonly role?: string;
  /** Which part of the episode the row belongs to, and the score of that part; the same on all its rows. */
  readonly segment?: { readonly name: string; readonly score: number };
}

const around = { before: z.number(), after: z.number() };
const calls = z
  .array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.json()).nullable() }))
  .optional();

export const SignalsSchema = z
  .strictObject({
    answerLogprob: z
      .strictObject(around)
      .optional()
      .describe("Mean log-probability of the reference answer before the turn and after its observation."),
    cluster: z
      .strictObject({ id: z.string().nullable(), evidence: z.number().optional(), ...around })
      .optional()
      .describe("Cluster of the trajectory's final answer (null: none), and its likelihood around the turn."),
    calls: calls.describe("Tool calls of the row; arguments are null where they could not be parsed."),
    goldCalls: calls.describe("Reference tool calls of the task."),
    answer: z.string().optional().describe("What the row says as its final answer."),
    toolSucceeded: z.boolean().optional().describe("Whether the row's tool call succeeded."),
    cuts: z
      .array(z.strictObject({ token: z.int().min(-1), value: z.number() }))
      .optional()
      .describe("Mean scores of continuations from prefixes of the response, by last token; -1 is the prompt."),
    stateValue: z
      .strictObject({ before: z.number(), after: z.number().optional() })
      .optional()
      .describe("Mean return of continuations from the state before the step, and after it."),
    actionValue: z.number().optional().describe("Mean return of continuations after the row's action."),
    legalValues: z.array(z.number()).optional().describe("The same after each legal action of the state."),
    snapshot: z
      .strictObject({ id: z.string(), reward: z.number() })
      .optional()
      .describe("The frozen memory the row was sampled from, and its local reward."),
    split: z
      .strictObject({ token: z.int().nonnegative().nullable(), ...around })
      .optional()
      .describe("Last token of the first segment (null: none), and the rewards of both segments."),
    guidedSteps: z.int().nonnegative().optional().describe("Correct steps that the prompt gave away."),
    promptTokens: z.int().nonnegative().optional().describe("Length of the prompt."),
    skippedTokens: z
      .int()
      .nonnegative()
      .optional()
      .describe("Tokens of the response before the row's own, in a branch that left inside it."),
    role: z.string().optional().describe("The part that the policy played."),
    segment: z
      .strictObject({ name: z.string(), score: z.number() })
      .optional()
      .describe("The part of the episode that the row belongs to, and that part's score."),
  })
  .describe("What somebody else measured for the row; methods name the fields they need.");

/** Names of the signals that are read with each field that a need names. */
const ALONG: Readonly<Record<string, readonly (keyof RowSignals)[]>> = { actionValue: ["actionValue", "legalValues"] };

/** The signals whose numbers must be checked, from the fields that a method reads; undefined: all of them. */
export function signalsRead(fields: ReadonlySet<string> | undefined): readonly (keyof RowSignals)[] | undefined {
  if (fields === undefined) return undefined;
  const names = [...fields]
    .filter((field) => field.startsWith("signals."))
    .map((field) => field.slice("signals.".length));
  return names.flatMap((name) => ALONG[name] ?? [name as keyof RowSignals]);
}

/** Numbers of signals are finite, and cuts stand in order within the response. */
export function checkSignals(
  row: CreditRow,
  index: number,
  signals: RowSignals,
  names: readonly (keyof RowSignals)[] | undefined,
): void {
  for (const name of names ?? (Object.keys(signals) as (keyof RowSignals)[])) {
    const path = badNumber(signals[name] as Json | undefined);
    if (path !== undefined) throw rowFault(row, index, `signals.${name}${path}`, "is not a finite number.");
    if (name === "cuts") checkCuts(row, index, signals.cuts ?? []);
  }
}

function checkCuts(row: CreditRow, index: number, cuts: NonNullable<RowSignals["cuts"]>): void {
  let last = -2;
  for (const [at, { token }] of cuts.entries()) {
    if (!Number.isInteger(token) || token < -1 || token <= last || token >= row.mask.length) {
      const fault = `is ${token}; cuts ascend from -1 (the prompt) and lie within the ${row.mask.length} tokens of the row.`;
      throw rowFault(row, index, `signals.cuts[${at}].token`, fault);
    }
    last = token;
  }
}

/** The path of the first number that is not finite. */
function badNumber(value: Json | undefined): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "";
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const path = badNumber(part);
    if (path !== undefined) return Array.isArray(value) ? `[${key}]${path}` : `.${key}${path}`;
  }
  return undefined;
}
