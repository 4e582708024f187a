/** How many pairs a lift test needs, by playing the test itself with coins. */
import { createRng } from "limbeck-base/base/rng";
import { isAbove, NO_PAIRS, type PairCounts } from "./always-valid.ts";
import { LOOK_EVERY } from "./lift.ts";

export interface ProposeOptions {
  /** Share of the tasks that are solved without the skill. Default: the one that needs most. */
  readonly base?: number;
  /** How often a skill with this lift is found. Default: 0.9, so that 0.8 are left where a set is not as it was thought. */
  readonly power?: number;
}

const proposals = new Map<string, number>();
const PLAYS = 400;
/** Below it the number grows as the square of what the lift shrinks; to play that would take minutes. */
const LEAST_PLAYED = 0.05;

/**
 * So many pairs that `power` of the skills with this lift are called helpful, by the same rule and looks. Coins of a pair are independent,
 * which needs more pairs than tasks that are hard for both arms or easy for both.
 *
 * @example
 * console.log(proposePairs(0.5) < proposePairs(0.3)); // true
 */
export function proposePairs(lift: number, { base, power = 0.9 }: ProposeOptions = {}): number {
  const asked = [lift, base, power].join(" ");
  const before = proposals.get(asked);
  if (before !== undefined) return before;
  const played = Math.max(lift, LEAST_PLAYED);
  const without = Math.min(base ?? (1 - played) / 2, 1 - played);
  const rng = createRng(`pairs for ${played} over ${without}`);
  const needed = Array.from({ length: PLAYS }, () => pairsUntilHelpful(rng, without, without + played));
  needed.sort((left, right) => left - right);
  const most = needed[Math.ceil(PLAYS * power) - 1] ?? 0;
  const pairs = Math.ceil((most * (played / Math.max(lift, 0.01)) ** 2) / LOOK_EVERY) * LOOK_EVERY;
  proposals.set(asked, pairs);
  return pairs;
}

function pairsUntilHelpful(rng: ReturnType<typeof createRng>, without: number, withSkill: number): number {
  let [overBare, overPlacebo] = [NO_PAIRS, NO_PAIRS];
  for (let pairs = 1; ; pairs += 1) {
    const skill = rng.float() < withSkill;
    overBare = withPair(overBare, skill, rng.float() < without);
    overPlacebo = withPair(overPlacebo, skill, rng.float() < without);
    if (pairs % LOOK_EVERY === 0 && isAbove(overBare, 0) && isAbove(overPlacebo, 0)) return pairs;
  }
}

function withPair({ better, worse, same }: PairCounts, left: boolean, right: boolean): PairCounts {
  if (left === right) return { better, worse, same: same + 1 };
  return left ? { better: better + 1, worse, same } : { better, worse: worse + 1, same };
}
