/** What a sampler needs to speak with guesses: the lane that checks them, who is guessed for, and whether it pays. */
import { EngineError } from "../../../base/errors.ts";
import { createLane, type Lane, type LaneOptions } from "../lane.ts";
import type { Speaker } from "../speaker.ts";
import { draftOf } from "./drafter.ts";
import { DRAFTS, type Draft } from "./kinds.ts";
import { createPace } from "./pace.ts";
import { createWordMemory } from "./word-memory.ts";

export interface Drafting {
  /** Here speak those whose next tokens are guessed. */
  readonly lane: Lane<Speaker>;
  /** A response begins, beside so many others. */
  begin(speaker: Speaker, others: number): void;
  /** Guesses for everyone in the lane, before its next step. */
  guess(): void;
  /** A step of that lane said so many tokens. */
  took(lane: Lane<Speaker>, rows: number, tokens: number): void;
}

/** Tokens of a pass with drafts: the last one said, and guesses. */
const WIDTH = 4;

/** Undefined where nothing is guessed. */
export function createDrafting(
  kind: Draft,
  options: Omit<LaneOptions, "width" | "minRows" | "drafts">,
): Drafting | undefined {
  if (!DRAFTS.includes(kind)) {
    throw new EngineError("bad-option", `draft is "${kind as string}"; allowed: ${DRAFTS.join(", ")}.`);
  }
  if (kind === "off") return undefined;
  const { contextLength } = options.config;
  const lane = createLane<Speaker>({ ...options, width: WIDTH, minRows: 2, drafts: true });
  const [memory, pace] = [createWordMemory(), createPace()];

  const learn = (speaker: Speaker): void => {
    memory.learn(speaker.tokens, speaker.learned, speaker.count);
    speaker.learned = speaker.count;
  };
  return {
    lane,
    begin: (speaker, others) => {
      speaker.draft = [];
      speaker.drafted = kind === "ngram" || pace.drafts(others + 1);
      learn(speaker);
    },
    guess: () => {
      for (const speaker of lane.rows) {
        learn(speaker);
        const { tokens, count, turn } = speaker;
        const most = Math.min(WIDTH - 1, contextLength - count - 1);
        speaker.draft = turn === undefined ? [] : draftOf(memory, { tokens, count, response: turn.response, most });
      }
    },
    took: (stepped, rows, tokens) => {
      if (stepped !== lane && stepped.width > 1) return;
      pace.took(stepped === lane, { rows, milliseconds: stepped.milliseconds, tokens });
    },
  };
}
