/** The contract of a provider's interface, as far as recording needs it: requests and answers, whole or streamed. */
import type { CallUsage, Fault, JsonObject, Message } from "./lines.ts";

export interface AskedCall {
  readonly messages: readonly Message[];
  readonly tools?: readonly JsonObject[];
  readonly model?: string;
}

export interface Answer {
  readonly reply?: Message;
  readonly finish?: string;
  readonly usage?: CallUsage;
  readonly model?: string;
  readonly error?: Fault;
  /** True when the interface said that the answer is complete. */
  readonly complete: boolean;
}

export interface AnswerStream {
  event(data: JsonObject): void;
  answer(): Answer;
}

export interface Shape {
  readonly provider: string;
  /** How the path of its endpoint ends. */
  readonly path: string;
  asked(body: JsonObject): AskedCall;
  answered(body: JsonObject): Answer;
  stream(): AnswerStream;
}
