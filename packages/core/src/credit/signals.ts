/**
 * Measurements from outside for a row: scores of answers, values of states, tool calls, snapshots. Each is declared
 * here once: its form, its meaning and its JSON schema. Methods say by their needs which of them they read; who provides
 * them is not this room's business.
 */
import { z } from "zod";
import type { Json } from "limbeck-base/base/json";
import { SIGNALS } from "./signal-texts.ts";

const json: z.ZodType<Json> = z.json();
/** A quantity just before the row's action, and once its observation is known. */
const around = { before: z.number(), after: z.number() };
const cluster = z.strictObject({ id: z.string().nullable(), evidence: z.number().optional(), ...around });
const calls = z.array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), json).nullable() }));
const count = z.int().nonnegative();

export const SignalsSchema = z
  .strictObject({
    answerLogprob: z.strictObject(around).describe(SIGNALS.answerLogprob),
    cluster: cluster.describe(SIGNALS.cluster),
    calls: calls.describe(SIGNALS.calls),
    goldCalls: calls.describe(SIGNALS.goldCalls),
    answer: z.string().describe(SIGNALS.answer),
    toolSucceeded: z.boolean().describe(SIGNALS.toolSucceeded),
    cuts: z.array(z.strictObject({ token: z.int().min(-1), value: z.number() })).describe(SIGNALS.cuts),
    stateValue: z.strictObject({ before: z.number(), after: z.number().optional() }).describe(SIGNALS.stateValue),
    actionValue: z.number().describe(SIGNALS.actionValue),
    legalValues: z.array(z.number()).describe(SIGNALS.legalValues),
    snapshot: z.strictObject({ id: z.string(), reward: z.number() }).describe(SIGNALS.snapshot),
    split: z.strictObject({ token: count.nullable(), ...around }).describe(SIGNALS.split),
    guidedSteps: count.describe(SIGNALS.guidedSteps),
    promptTokens: count.describe(SIGNALS.promptTokens),
    skippedTokens: count.describe(SIGNALS.skippedTokens),
    answerInDocuments: z.boolean().describe(SIGNALS.answerInDocuments),
    role: z.string().describe(SIGNALS.role),
    segment: z.strictObject({ name: z.string(), score: z.number() }).describe(SIGNALS.segment),
  })
  .partial()
  .describe("What somebody else measured for the row; methods name the fields they need.");

type Frozen<Value> = Value extends readonly (infer Part)[] ? readonly Part[] : Value;
type Signals = z.infer<typeof SignalsSchema>;

export type RowSignals = { readonly [Name in keyof Signals]: Frozen<Signals[Name]> };
export type CalledTool = NonNullable<RowSignals["calls"]>[number];
