/** The lines a recorder writes, checked at the border. `packages/recorder/src/lines.ts` is the writing side. */
import { z } from "zod";
import { isObject } from "limbeck-base/base/json";
import { MessageSchema } from "limbeck-base/trajectory/schema";
import { faultAt, type FileLine } from "./fault.ts";

const jsonObject = z.record(z.string(), z.json());
const name = z.string().min(1).max(1000);
const count = z.number().int().nonnegative();
const fault = z.object({ code: z.string(), message: z.string() });

/** The agent gave up on an answer. The connection alone does not show why, so no reason is given. The writing side has it too. */
export const CLIENT_LEFT = {
  code: "client-left",
  message: "The agent closed the connection before the answer was complete.",
} as const;

const TaskLine = z.object({
  id: name.exactOptional(),
  goal: z.string().exactOptional(),
  env: name.exactOptional(),
  seed: z.number().int().exactOptional(),
  split: name.exactOptional(),
});

const CallLine = z.object({
  limbeck: z.literal("call"),
  v: z.literal(1),
  trajectory: name,
  call: name,
  after: name.exactOptional(),
  task: TaskLine.exactOptional(),
  group: name.exactOptional(),
  agent: name.exactOptional(),
  caller: name.exactOptional(),
  provider: z.string().exactOptional(),
  model: z.string().exactOptional(),
  startedAt: z.iso.datetime(),
  durationMs: z.number().nonnegative(),
  firstChunkMs: z.number().nonnegative().exactOptional(),
  messages: z.array(MessageSchema),
  skills: z.array(z.string()).exactOptional(),
  reply: MessageSchema.exactOptional(),
  finish: z.string().exactOptional(),
  usage: z
    .object({
      promptTokens: count.exactOptional(),
      completionTokens: count.exactOptional(),
      cachedTokens: count.exactOptional(),
      costUsd: z.number().exactOptional(),
    })
    .exactOptional(),
  tools: z.array(jsonObject).exactOptional(),
  error: fault.exactOptional(),
  partial: z.literal(true).exactOptional(),
});

const EndLine = z.object({
  limbeck: z.literal("end"),
  v: z.literal(1),
  trajectory: name,
  ending: z.enum(["terminated", "truncated", "failed"]).exactOptional(),
  error: fault.exactOptional(),
});

/** What feedback may say, without saying of what; also the body of an HTTP request. */
export const FeedbackSchema = z.strictObject({
  success: z.boolean().exactOptional(),
  score: z.number().exactOptional(),
  rewards: z.record(name, z.number()).exactOptional(),
  comment: z.string().max(100_000).exactOptional(),
  source: name.exactOptional(),
});

const FeedbackLine = z.object({
  limbeck: z.literal("feedback"),
  v: z.literal(1),
  trajectory: name,
  ...FeedbackSchema.shape,
});

export type RecordedCall = z.output<typeof CallLine>;
export type RecordedEnd = z.output<typeof EndLine>;
export type RecordedFeedback = z.output<typeof FeedbackLine>;
export type Feedback = z.output<typeof FeedbackSchema>;
export type RecordedLine = RecordedCall | RecordedEnd | RecordedFeedback;

const Line = z.discriminatedUnion("limbeck", [CallLine, EndLine, FeedbackLine]);

export function readRecordedLine(value: unknown, place: FileLine): RecordedLine {
  if (isObject(value) && typeof value["v"] === "number" && value["v"] > 1) {
    throw faultAt(
      place,
      "newer-format",
      `the recording has version ${value["v"]}; this release reads 1. Update limbeck.`,
    );
  }
  const parsed = Line.safeParse(value);
  if (parsed.success) return parsed.data;
  throw faultAt(place, "bad-recording", `not a line of a recording: ${z.prettifyError(parsed.error)}.`);
}
