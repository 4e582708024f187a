/**
 * A task's hidden side: who the customer is, what they want and say, and what must be true in the end.
 *
 * It travels in `task.data`, so a hand-written task needs no generator, and one for a foreign server no shop.
 */
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import type { JsonObject, Task } from "../../trajectory/index.ts";

/** What an agent can ask about; `user.ts` tells by which words. */
const TOPICS = ["order", "items", "options", "reason", "payment", "address"] as const;
export type Topic = (typeof TOPICS)[number];

const sentence = z.string().min(1).max(2_000);

const PlainRequest = z.strictObject({
  /** action: wants a change; question: wants to know; forbidden: must be declined; handover: only a person can help. */
  kind: z.enum(["action", "question", "forbidden", "handover"]),
  ask: sentence,
  /** Given on request, at most two at a time. */
  details: z.array(z.strictObject({ topic: z.enum(TOPICS), text: sentence })).max(12),
  /** What a question for a yes must name before the customer gives it. */
  mentions: z.array(sentence).max(4),
  /** Given once after a first refusal. */
  insist: sentence.exactOptional(),
});

const RequestSchema = PlainRequest.extend({
  /** The customer changes their mind when first asked for a yes. */
  instead: PlainRequest.exactOptional(),
});

const CallSchema = z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()) });

export const ScenarioSchema = z.strictObject({
  family: z.string().min(1),
  /** The generated shop; null when the tools of a server bring their own data. */
  shop: z
    .strictObject({
      seed: z.number().int(),
      remainder: z.number().int().min(0).max(3),
      users: z.number().int().min(1).max(1_000).exactOptional(),
    })
    .nullable(),
  /** What the customer says when asked who they are. */
  identity: sentence,
  requests: z.array(RequestSchema).min(1).max(8),
  /** The calls whose effect is the right final state. */
  reference: z.array(CallSchema).max(30),
  /** What must occur in messages to the customer. */
  outputs: z.array(sentence).max(20),
});

export type CustomerRequest = z.infer<typeof RequestSchema>;
export type ReferenceCall = z.infer<typeof CallSchema>;
export type Scenario = z.infer<typeof ScenarioSchema>;

export function scenarioOf(task: Task): Scenario {
  const parsed = ScenarioSchema.safeParse(task.data?.["scenario"]);
  if (parsed.success) return parsed.data;
  throw new EngineError(
    "bad-task",
    `Task "${task.id}" carries no usable scenario in data.scenario: ${z.prettifyError(parsed.error).slice(0, 600)}. Take tasks from tasks(), or write one as docs/tools.md shows.`,
    { details: { task: task.id } },
  );
}

/** A scenario as the `data` of a task. */
export function scenarioData(scenario: Scenario): JsonObject {
  return { scenario };
}
