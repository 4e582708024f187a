/**
 * Measurements from outside for a row: scores of answers, values of states, tool calls, snapshots. Each is declared
 * here once: its form, its meaning and its JSON schema. Methods say by their needs which of them they read; who provides
 * them is not this room's business.
 */
import { z } from "zod";
import type { Json } from "../base/json.ts";

const json: z.ZodType<Json> = z.json();
/** A quantity just before the row's action, and once its observation is known. */
const around = { before: z.number(), after: z.number() };
const calls = z.array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), json).nullable() }));
const count = z.int().nonnegative();

export const SignalsSchema = z
  .strictObject({
    answerLogprob: z
      .strictObject(around)
      .describe("The mean log-probability of the reference answer before the turn and after its observation."),
    cluster: z
      .strictObject({ id: z.string().nullable(), evidence: z.number().optional(), ...around })
      .describe(
        "The cluster of the trajectory's final answer (null: none), and its members' likelihood around the turn.",
      ),
    calls: calls.describe("The tool calls of the row; arguments are null where they could not be parsed."),
    goldCalls: calls.describe("The reference tool calls of the task; the same on all rows of a trajectory."),
    answer: z.string().describe("What the row says as its final answer."),
    toolSucceeded: z.boolean().describe("Whether the row's tool call succeeded."),
    cuts: z
      .array(z.strictObject({ token: z.int().min(-1), value: z.number() }))
      .describe(
        "Mean scores of continuations from prefixes of the response, by last token, ascending; -1: the prompt.",
      ),
    stateValue: z
      .strictObject({ before: z.number(), after: z.number().optional() })
      .describe(
        "The mean return of continuations from the state before the step, and after it (default: the next row's).",
      ),
    actionValue: z.number().describe("The mean return of continuations after the row's action."),
    legalValues: z.array(z.number()).describe("The same after each legal action of the state."),
    snapshot: z
      .strictObject({ id: z.string(), reward: z.number() })
      .describe("The frozen memory the row was sampled from, among alternatives, and its local reward."),
    split: z
      .strictObject({ token: count.nullable(), ...around })
      .describe(
        "The last token of the response's first segment (null: it has none), and the rewards of both segments.",
      ),
    guidedSteps: count.describe("How many correct steps the prompt gave away."),
    promptTokens: count.describe("The length of the prompt."),
    skippedTokens: count.describe(
      "How many tokens of the response stand before the row's own, in a branch that left inside it.",
    ),
    role: z.string().describe("Which of several parts the policy played: planner, executor."),
    segment: z
      .strictObject({ name: z.string(), score: z.number() })
      .describe("The part of the episode that the row belongs to, and that part's score; the same on all its rows."),
  })
  .partial()
  .describe("What somebody else measured for the row; methods name the fields they need.");

type Frozen<Value> = Value extends readonly (infer Part)[] ? readonly Part[] : Value;
type Signals = z.infer<typeof SignalsSchema>;

export type RowSignals = { readonly [Name in keyof Signals]: Frozen<Signals[Name]> };
export type CalledTool = NonNullable<RowSignals["calls"]>[number];
