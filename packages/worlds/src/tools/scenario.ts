/**
 * A task's hidden side: who the customer is, what they want and say, and what must be true in the end.
 *
 * It travels in `task.data`, so a hand-written task needs no generator, and one for a foreign server no shop.
 */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";

/** What an agent can ask about; `TOPIC_WORDS` are the words. */
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
    `Task "${task.id}" carries no usable scenario in data.scenario: ${z.prettifyError(parsed.error).slice(0, 600)}. Take tasks from tasks(), or write one as docs/lookup/tools.md shows.`,
    { details: { task: task.id } },
  );
}

/** A scenario as the `data` of a task. */
export function scenarioData(scenario: Scenario): JsonObject {
  return { scenario };
}

/*
 * The scripted customer: answers any text by a few plain rules, the same way every time.
 *
 * Cues are found in the lower-cased message. In this order:
 *   1. asked who they are (e-mail, name, zip, identify, verify)         -> says so
 *   2. asked for a yes (confirm, proceed, go ahead, shall I, yes/no)    -> changes their mind once, if the script says
 *      so; else asks for the particulars if the message does not name them; else says yes
 *   3. asked about a topic (order, item, option, reason, pay, address)  -> tells at most two details of those topics
 *   4. declined (cannot, unable, not allowed, …)                        -> insists once, then drops the wish
 *   5. hears that it is done, or, for a question, any answer           -> next wish, or goodbye
 *   6. otherwise                                                        -> the next detail, or the wish again
 * "Anything else?" switches off 2 and 3. The customer believes every answer; the final state decides the reward.
 */

/** Where the customer stands. Plain data, part of the state key. */
export interface UserState {
  readonly request: number;
  readonly identified: boolean;
  /** Details given so far, as bits. */
  readonly told: number;
  readonly insisted: boolean;
  /** Whether the current wish is the one after a change of mind. */
  readonly changed: boolean;
}

interface UserReply {
  readonly state: UserState;
  readonly text: string;
  /** The customer has agreed to what the message proposed. */
  readonly agreed: boolean;
  readonly ends: boolean;
}

export const USER_START: UserState = { request: 0, identified: false, told: 0, insisted: false, changed: false };

/** Longer messages are heard only in part; a hundred pages are not listened to. */
const HEARD_CHARACTERS = 20_000;
const DETAILS_AT_ONCE = 2;

const IDENTITY = /e-?mail|zip|your (?:full )?name|identi|verif|authenticat/;
const CONSENT = /confirm|proceed|go ahead|shall i|should i|do you agree|yes\/no|yes or no/;
const CLOSING = /anything else|something else|any other|further help/;
const DECLINED =
  /cannot|can't|can not|unable|not able|not allowed|not possible|not permitted|decline|against (?:our|the) policy/;
const FINAL = /(?:cannot|can't|can not) be (?:undone|reversed|taken back)/g;
const DONE =
  /(?:has|have) been|is now|\bdone\b|completed|successful|\bi(?:'ve| have) (?:now )?(?:cancel|chang|updat|exchang|return|modif|process|request|submit)/;
const ASKING = /\?|please|could you|tell me|let me know|i need/;
const TOPIC_WORDS: Readonly<Record<Topic, RegExp>> = {
  order: /\border\b|number/,
  items: /\bitems?\b|product|article/,
  options: /option|variant|version|colou?r|size|instead|prefer/,
  reason: /reason|why/,
  payment: /pay|refund|card|method/,
  address: /address|street|where/,
};

export function opening(scenario: Scenario): string {
  return `Hello. ${(scenario.requests[0] as CustomerRequest).ask}`;
}

export function replyTo(scenario: Scenario, state: UserState, message: string): UserReply {
  const heard = message.slice(0, HEARD_CHARACTERS).toLowerCase().replaceAll("’", "'");
  const wish = currentWish(scenario, state);
  const closing = CLOSING.test(heard);
  const consent = !closing && CONSENT.test(heard) && /\?|please|yes/.test(heard);
  if (IDENTITY.test(heard) && ASKING.test(heard) && !closing && (!state.identified || !consent)) {
    if (!state.identified || !wish.details.some((detail) => detail.topic === "address")) {
      return say({ ...state, identified: true }, scenario.identity);
    }
  }
  if (consent) return askedForYes(scenario, state, heard);
  const topics = closing || !ASKING.test(heard) ? [] : topicsIn(heard);
  const asked = wish.details.flatMap((detail, index) => (topics.includes(detail.topic) ? [index] : []));
  const fresh = asked.filter((index) => (state.told & (1 << index)) === 0);
  if (fresh.length > 0) return tell(wish, state, fresh);
  if (DECLINED.test(heard.replaceAll(FINAL, ""))) return declined(scenario, state, wish);
  if (DONE.test(heard) || (wish.kind === "question" && (closing || !heard.includes("?")))) {
    return wish.kind === "action" ? believed(scenario, state) : next(scenario, state);
  }
  if (asked.length > 0) return tell(wish, state, asked);
  const untold = wish.details.findIndex((_, index) => (state.told & (1 << index)) === 0);
  return untold < 0 ? say(state, wish.ask) : tell(wish, state, [untold]);
}

function currentWish(scenario: Scenario, state: UserState): CustomerRequest {
  const request = scenario.requests[state.request] as CustomerRequest;
  return (state.changed ? request.instead : undefined) ?? request;
}

function askedForYes(scenario: Scenario, state: UserState, heard: string): UserReply {
  const wish = currentWish(scenario, state);
  if (!state.changed && wish.instead !== undefined) return changeMind(state, wish.instead);
  if (wish.kind === "handover") return say(state, wish.ask);
  const missing = wish.mentions.some((mention) => !heard.includes(mention.toLowerCase()));
  if (missing) return say(state, "Yes to what exactly? Please name it in full, so that I can check it.");
  return { ...say(state, "Yes, please go ahead."), agreed: true };
}

function changeMind(state: UserState, instead: NonNullable<CustomerRequest["instead"]>): UserReply {
  const changed = { ...state, changed: true, told: 0, insisted: false };
  return say(changed, `Wait, I have changed my mind. ${instead.ask}`);
}

function tell(wish: CustomerRequest, state: UserState, indices: readonly number[]): UserReply {
  const chosen = indices.slice(0, DETAILS_AT_ONCE);
  const text = chosen.map((index) => wish.details[index]?.text ?? "").join(" ");
  return say({ ...state, told: chosen.reduce((bits, index) => bits | (1 << index), state.told) }, text);
}

function declined(scenario: Scenario, state: UserState, wish: CustomerRequest): UserReply {
  if (wish.kind === "handover") return say(state, "Then please let me talk to a person.");
  const insist = wish.kind === "forbidden" ? wish.insist : "I am sure that this is possible. Please look again.";
  if (!state.insisted && insist !== undefined) return say({ ...state, insisted: true }, insist);
  return next(scenario, state);
}

/** The agent says that an action is done. A change of mind that was not asked for comes out now, too late for a hasty agent. */
function believed(scenario: Scenario, state: UserState): UserReply {
  const wish = currentWish(scenario, state);
  return !state.changed && wish.instead !== undefined ? changeMind(state, wish.instead) : next(scenario, state);
}

function next(scenario: Scenario, state: UserState): UserReply {
  const request = scenario.requests[state.request + 1];
  if (request === undefined) return { ...say(state, "Thank you, that is all. Goodbye."), ends: true };
  const moved = { ...USER_START, identified: state.identified, request: state.request + 1 };
  return say(moved, `All right. One more thing: ${request.ask}`);
}

function topicsIn(heard: string): readonly Topic[] {
  return (Object.keys(TOPIC_WORDS) as Topic[]).filter((topic) => TOPIC_WORDS[topic].test(heard));
}

function say(state: UserState, text: string): UserReply {
  return { state, text, agreed: false, ends: false };
}
