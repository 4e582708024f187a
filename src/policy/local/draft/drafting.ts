/** Speaking with guesses: who guesses, how much is guessed at a time, and what came of it. */
import { EngineError } from "../../../base/errors.ts";
import type { Lane } from "../lane.ts";
import type { ModelConfig } from "../model-config.ts";
import type { Speaker } from "../speaker.ts";
import { chainOf } from "./drafter.ts";
import { DRAFTS, type Draft } from "./kinds.ts";
import { createPace, type Pass } from "./pace.ts";
import { NO_DRAFT, pruned, type DraftTree } from "./tree.ts";
import { createWordMemory } from "./word-memory.ts";

export interface Drafting {
  /** Most tokens of a row in one pass. */
  readonly widest: number;
  /** Guesses for everyone in the lane, before its next step. */
  guess(lane: Lane<Speaker>): Promise<void>;
  /** A node of the draft was reached and this child of it was said, or -1: none of them. */
  judge(draft: DraftTree, node: number, child: number): void;
  /** What the step took. */
  took(pass: Pass): void;
}

/** Most tokens of a pass: the last one said, and guesses. */
const WIDEST: Readonly<Record<Exclude<Draft, "off">, number>> = { ngram: 8, auto: 16 };

/** Undefined where nothing is guessed. */
export function createDrafting(kind: Draft, config: ModelConfig): Drafting | undefined {
  if (!DRAFTS.includes(kind)) {
    throw new EngineError("bad-option", `draft is "${kind as string}"; allowed: ${DRAFTS.join(", ")}.`);
  }
  if (kind === "off") return undefined;
  // Within a window's length every new token sees all the others.
  const widest = Math.min(WIDEST[kind], config.window?.size ?? Infinity);
  const memory = createWordMemory();
  const pace = kind === "auto" ? createPace() : undefined;

  const draftFor = (speaker: Speaker): DraftTree => {
    const { tokens, count, turn } = speaker;
    memory.learn(tokens, speaker.learned, count);
    speaker.learned = count;
    const most = Math.min(widest - 1, config.contextLength - count - 1);
    return turn === undefined ? NO_DRAFT : chainOf(memory, { tokens, count, response: turn.response, most });
  };
  return {
    widest,
    guess: async (lane) => {
      const drafts = lane.rows.map(draftFor);
      const width = pace?.width(lane.company, (wide) => hoped(drafts, wide)) ?? widest;
      lane.rows.forEach((speaker, at) => {
        speaker.draft = pruned(drafts[at] as DraftTree, width - 1);
      });
    },
    judge: ({ parents, sources }, node, child) => {
      parents.forEach((parent, at) => {
        if (parent === node) memory.judge(sources[at] as number, at === child);
      });
    },
    took: (pass) => pace?.took(pass),
  };
}

/** Tokens that a pass of that width would say: one for each row, and the guesses that come true. */
function hoped(drafts: readonly DraftTree[], width: number): number {
  return drafts.reduce((sum, draft) => {
    const { reach } = pruned(draft, width - 1);
    return sum + 1 + reach.reduce((total, one) => total + one, 0);
  }, 0);
}
