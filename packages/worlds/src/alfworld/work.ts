/** A game file is foreign code: its work at once is bounded, so that none can block the process. */
import { EngineError } from "limbeck-base/base/errors";

/** Official games ask for less than a hundredth of this. */
const MOST_TRIALS = 1_000_000;
/** Facts that can change: 2 MB of bits for each state. */
const MOST_FACTS = 2 ** 24;

export interface Work {
  begin(): void;
  /** One thing tried, one rule written; more where what was tried is wide. */
  spend(count?: number): void;
}

export function createWork(): Work {
  let left = MOST_TRIALS;
  return {
    begin: () => (left = MOST_TRIALS),
    spend: (count = 1) => {
      left -= count;
      if (left >= 0) return;
      throw new EngineError("bad-game", `Bad game file: a rule or text of it takes more than ${MOST_TRIALS} trials.`);
    },
  };
}

export function checkFacts(size: number): void {
  if (size <= MOST_FACTS) return;
  throw new EngineError(
    "bad-game",
    `Bad game file: it has ${size} facts that can change; at most ${MOST_FACTS} are allowed.`,
  );
}

/** Of the reply that is being written: replies are written one after another, none within another. */
export const replies: Work = createWork();
