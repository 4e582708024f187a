/**
 * The contract of an agent: a policy together with its prompting. The loop drives every agent the same way, be it
 * a model with exact tokens, a chat model behind a server or a script.
 */
import type { OwnRequest } from "../../env/env.ts";
import type { Policy, KeptStates, Scorer } from "limbeck-policy/policy/policy";
import type { JsonObject } from "limbeck-base/base/json";
import type {
  Message,
  PolicyRef,
  Span,
  Task,
  TokenStream,
  Trajectory,
  Usage,
} from "limbeck-base/trajectory/trajectory";

/** One moment of an episode, as an agent meets it. */
export interface Moment {
  /** Index of the step that is to be decided. */
  readonly step: number;
  readonly observation: string;
  /** The action that led here; undefined at the opening. */
  readonly action: string | undefined;
  /** Every accepted action, in worlds that list them. To be asked while reading, not later. */
  readonly admissible: () => readonly string[] | undefined;
  /** What a program asks here in its own words, in the world of agents. To be asked while reading, not later. */
  readonly request?: () => OwnRequest | undefined;
  /** Text for this decision only: a reflection, a hint. It is in the prompt, not in the observation. */
  readonly guidance?: string;
}

export interface Agent {
  /** Which policy acts, with its present version. */
  readonly ref: PolicyRef;
  /** Whether it records exact tokens, and so can be branched inside an answer. */
  readonly exact: boolean;
  /** Most tokens of one answer; budgets reckon with it. 0 for agents without tokens; `speak` is not called on them. */
  readonly answerTokens: number;
  /** Answers that its policy serves best at once. Default: 64. */
  readonly concurrency?: number;
  /** Statistics of given tokens, where the policy offers them. */
  readonly scorer?: Scorer;
  /** The policy's own vector of a token, where it gives one. */
  readonly embedding?: NonNullable<Policy["embedding"]>;
  /** The hidden states that the policy sampled from, where it keeps them. */
  readonly keptStates?: KeptStates;
  /** The same agent on a copy of its policy in fewer bits, to explore with; undefined where there is no such copy. */
  rough?(): Promise<Agent>;
  /** Everything the mind draws depends on the seed and on what it reads. */
  begin(task: Task, seed: string): Mind;
  /** A mind that goes on where a suspended one stopped; it has read the present observation. */
  resume?(task: Task, seed: string, past: Pick<Trajectory, "steps" | "streams" | "closing">): Mind;
}

/** A place in what a mind recorded. */
export interface StreamPlace {
  readonly stream: number;
  /** Tokens of that stream. */
  readonly length: number;
}

/** An agent in one episode. The order is: read, speak until the answer has ended, decide, read, … */
export interface Mind {
  /** Takes in what the world shows. */
  read(moment: Moment): void;
  /** Says up to `maxTokens` more of the answer in hand. */
  speak(options: SpeakOptions): Promise<Spoken>;
  /** Asks the service that decides for it, where it says nothing itself; before `decide`. Default: none. */
  consult?(): Promise<void>;
  /** The answer in hand as a decision; it is then over. Cuts an answer that has not ended. */
  decide(): Decision;
  /**
   * The action of the answer in hand, where it is named already and thoughts follow. Missing where an action comes last, or an answer
   * cannot be sampled in parts.
   */
  called?(): string | undefined;
  /** Puts words into its mouth: an answer that it did not choose. They are recorded as read, not as sampled. */
  impose(action: string): void;
  /** Tokens of the answer in hand so far. */
  readonly said: number;
  /** An independent copy at this point, which records only what comes after. */
  fork(label: string): Mind;
  /** The same at an earlier point of its own: before a step's answer, or after some tokens of it. */
  branch(point: BranchPoint, seed: string): Mind;
  /** Tokens of the context in hand that it did not record itself. */
  readonly sharedTokens: number;
  /** The whole context in hand, shared tokens included; empty for agents without tokens. */
  context(): Int32Array;
  /** Tokens that a call would read now, or a number they cannot pass. Missing where a call reads nothing. */
  promptTokens?(): number;
  /**
   * What was recorded; only what came after so many tokens of a stream, where a place is given. Those may be views of the
   * recording: copy what is kept for long.
   */
  streams(after?: StreamPlace): TokenStream[];
  /** The sampled text of one of its spans; undefined for agents without tokens. */
  answer(span: Span): Answer | undefined;
  close(): void;
}

export interface SpeakOptions {
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  /** Every accepted action here and now, for agents that confine their answers. */
  readonly admissible: () => readonly string[] | undefined;
  /** Default: the agent's own. */
  readonly temperature?: number | undefined;
}

export interface Spoken {
  /** Tokens sampled in this call. */
  readonly tokens: number;
  /** Tokens read in it, where the server has counted them. */
  readonly read?: number | undefined;
  readonly modelCalls: number;
  /** Log-probability of its sampled tokens, summed; undefined where the policy gives none. */
  readonly logprob?: number | undefined;
  /** The answer is complete; otherwise `maxTokens` ran out first. */
  readonly ended: boolean;
  /** Nothing more can be sampled in this episode: the context is full. */
  readonly full: boolean;
}

export interface Decision {
  /** What is sent to the world. The empty action, which every world refuses by its own rule, when it was unreadable. */
  readonly action: string;
  /** Whether the answer could be read as an action. */
  readonly readable: boolean;
  /** Set when the answer was for the agent itself (its context, its memory): the world is not stepped. */
  readonly internal?: { readonly observation: string };
  readonly span?: Span;
  /** The message it answered to and the same without guidance, where they differ from the observation. */
  readonly prompt?: string;
  readonly basePrompt?: string;
  readonly messages?: readonly Message[];
  readonly reply?: Message;
  readonly usage?: Usage;
  readonly info?: JsonObject;
}

export interface BranchPoint {
  /** Index of the step whose answer is replaced. */
  readonly step: number;
  /** How many tokens of that answer are kept. Default: none. */
  readonly token?: number;
  /** Text for the decision at this point; the message is then written anew. Not together with `token`. */
  readonly guidance?: string;
}

/** Own tokens of an answer. */
export interface Answer {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  readonly sampledLogprobs: Float32Array;
}
