/** A conversation as the sampler sees it, and what it refuses. */
import { EngineError, throwIfAborted, type Rng } from "../../base/index.ts";
import type { Sampled, SampleOptions } from "../policy.ts";
import type { LaneRow } from "./lane.ts";
import type { ModelConfig } from "./model-config.ts";
import type { Response } from "./response.ts";

export interface Speaker extends LaneRow {
  readonly rng: Rng;
  version: number;
  turn: Turn | undefined;
  temperature: number;
  closed: boolean;
}

/** A response that is being said. */
export interface Turn {
  readonly response: Response;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (sampled: Sampled) => void;
  readonly reject: (error: unknown) => void;
}

export function push(speaker: Speaker, id: number): void {
  if (speaker.count === speaker.tokens.length) {
    const grown = new Int32Array(speaker.tokens.length * 2);
    grown.set(speaker.tokens);
    speaker.tokens = grown;
  }
  speaker.tokens[speaker.count] = id;
  speaker.count += 1;
}

export function refuseBusy(speaker: Speaker): void {
  if (speaker.closed) throw new EngineError("conversation-closed", "The conversation is closed; open or fork another.");
  if (speaker.turn === undefined) return;
  throw new EngineError("conversation-busy", "The conversation is sampling; wait for it before extending or forking.");
}

/** What cannot be continued is refused before any work. */
export function checkSampling(config: ModelConfig, speaker: Speaker, options: SampleOptions): void {
  throwIfAborted(options.signal);
  refuseBusy(speaker);
  if (speaker.count === 0)
    throw new EngineError(
      "empty-prompt",
      "Nothing to continue: extend the conversation with at least one token first.",
    );
  if (speaker.count >= config.contextLength) {
    throw new EngineError(
      "past-context",
      `The conversation holds ${speaker.count} tokens; the model's context is ${config.contextLength}. Shorten it.`,
    );
  }
  if (!(Number.isInteger(options.maxTokens) && options.maxTokens >= 1)) {
    throw new EngineError("bad-option", `maxTokens is ${options.maxTokens}; it must be a whole number of at least 1.`);
  }
  const { temperature = 1 } = options;
  if (!(temperature >= 0 && Number.isFinite(temperature))) {
    throw new EngineError("bad-option", `temperature is ${temperature}; it must be a number of at least 0.`);
  }
}

export function checkToken(config: ModelConfig, id: number, at: number): number {
  if (Number.isInteger(id) && id >= 0 && id < config.vocabularySize) return id;
  throw new EngineError(
    "bad-token",
    `Token ${id} at place ${at} is not in the vocabulary of ${config.vocabularySize}; allowed: 0 to ${config.vocabularySize - 1}.`,
  );
}
