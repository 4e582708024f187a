/** Takes a sampled stream apart into its opening, the answers of its steps and what stood between them. */
import type { Dialect } from "../policy/index.ts";
import type { Step, TokenStream } from "../trajectory/index.ts";

export interface ConversationHints {
  /** The system message the conversation was opened with. */
  readonly system?: string;
  /** The opening message of a branch, whose own steps begin later. */
  readonly opening?: string;
}

/** Exact tokens: opening, between[0], answers[0], between[1], answers[1], … */
export interface SampledConversation {
  /** The opening message without retrieved memory: what a skill is written into. */
  readonly openingText: string;
  /** Whether the first step answers the opening itself; a branch begins later. */
  readonly answersOpening: boolean;
  readonly opening: Int32Array;
  readonly between: readonly Int32Array[];
  readonly answers: readonly Int32Array[];
}

/** Undefined where the stream does not begin with what the dialect makes of the opening text. */
export function readConversation(
  stream: TokenStream,
  steps: readonly Step[],
  dialect: Dialect,
  { system, opening }: ConversationHints,
): SampledConversation | undefined {
  const [first] = steps;
  if (first?.span === undefined) return undefined;
  const own = dialect.opening(promptText(first), system);
  const answersOpening = own.length === first.span.start && startsWith(stream.ids, own);
  const given = answersOpening || opening === undefined ? own : dialect.opening(opening, system);
  if (!answersOpening && (opening === undefined || given.length > first.span.start || !startsWith(stream.ids, given))) {
    return undefined;
  }
  const between: Int32Array[] = [];
  const answers: Int32Array[] = [];
  let at = given.length;
  for (const { span } of steps) {
    if (span === undefined || span.start < at || span.end > stream.ids.length) return undefined;
    between.push(stream.ids.slice(at, span.start));
    answers.push(stream.ids.slice(span.start, span.end));
    at = span.end;
  }
  return {
    openingText: answersOpening ? plainPromptText(first) : (opening as string),
    answersOpening,
    opening: stream.ids.slice(0, given.length),
    between,
    answers,
  };
}

/** What stood before a step's own message, or undefined where the stream does not end with that message. */
export function beforeMessage(between: Int32Array, step: Step, dialect: Dialect): Int32Array | undefined {
  const message = dialect.turn(promptText(step));
  const at = between.length - message.length;
  return at >= 0 && startsWith(between.subarray(at), message) ? between.slice(0, at) : undefined;
}

/** The message without retrieved skills or memory, where the step says what that is. */
export function plainPromptText(step: Step): string {
  return step.basePrompt ?? promptText(step);
}

function promptText(step: Step): string {
  return step.prompt ?? step.observation;
}

function startsWith(ids: Int32Array, start: Int32Array): boolean {
  return start.length <= ids.length && start.every((id, at) => ids[at] === id);
}
