/**
 * Bi-level GAE for conversations: first over the ends of turns, then over the tokens inside each turn.
 */
import { defineCredit, type CreditRow } from "./credit.ts";
import { answers } from "./examples.ts";
import { lambda, maybeWhitened, whiten } from "./gae.ts";
import { tokenRewards } from "./scores.ts";
import { gamma, invalidPenalty } from "./shared-options.ts";
import { tokenArrays } from "./token-arrays.ts";

export const biLevelGae = defineCredit({
  info: {
    title: "Bi-level GAE",
    paper: "VAGEN (turn-level then token-level advantage estimation); code of RAGEN",
    confidence: "code",
    formula: [
      "over turn ends e: A_e = r_e + gammaTurn * V_(next end) - V_e + gammaTurn * lambda * A_(next end)",
      "the reward of each turn end becomes A_e + V_e",
      "inside each turn: token GAE with gamma; value and carry begin at 0 behind the turn's end",
    ],
    meaning: "Credit flows between turns with one discount and inside a turn with another.",
    departures: [
      "Published code takes tokens with a reward other than 0 for turn ends, so a turn that earned exactly 0 is not seen. Give turns to say where they end; their last trained token is the end.",
      "A row whose last trained token is no turn end makes published code fail; here what follows the last end is plain token GAE.",
    ],
  },
  needs: ["values"],
  mayNeed: { turns: "where a turn may earn exactly 0" },
  wants: () => ["turns"],
  options: {
    gamma: gamma(1, "tokens inside a turn"),
    gammaTurn: gamma(0.95, "turns"),
    lambda,
    whiten,
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "same", zeroSum: false },
  example: {
    about: "Two turns of two tokens with a tool's output between them; rewards 0.2 and 1.",
    batch: answers([1], [{ mask: [1, 1, 0, 1, 1], tokenRewards: [0, 0.2, 0, 0, 1], values: [0.3, 0.4, 0, 0.5, 0.6] }]),
    options: { whiten: false },
  },
  compute: (batch, options) => {
    const rewards = tokenRewards(batch, options.invalidPenalty);
    const advantages = tokenArrays(batch.rows);
    const returns = tokenArrays(batch.rows);
    for (const [at, row] of batch.rows.entries()) {
      const reward = rewards[at] as Float64Array;
      const ends = turnEnds(row, reward);
      substituteTurnReturns(ends, reward, row.values, options);
      const target = advantages[at] as Float64Array;
      let nextValue = 0;
      let carry = 0;
      for (let token = row.mask.length - 1; token >= 0; token -= 1) {
        if (row.mask[token] === 0) continue;
        if (ends[token] === 1) [nextValue, carry] = [0, 0];
        const value = row.values[token] as number;
        carry = (reward[token] as number) + options.gamma * nextValue - value + options.gamma * options.lambda * carry;
        nextValue = value;
        target[token] = carry;
        (returns[at] as Float64Array)[token] = carry + value;
      }
    }
    return { terms: maybeWhitened(batch, advantages, options.whiten), returns };
  },
});

/** 1 on the last trained token of each turn that was given; otherwise on each trained token that has a reward. */
function turnEnds({ mask, turns }: CreditRow, rewards: Float64Array): Uint8Array {
  const ends = new Uint8Array(mask.length);
  if (turns === undefined) {
    for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1 && rewards[token] !== 0) ends[token] = 1;
    return ends;
  }
  for (const { start, end } of turns) {
    const last = mask.lastIndexOf(1, end - 1);
    if (last >= start) ends[last] = 1;
  }
  return ends;
}

function substituteTurnReturns(
  ends: Uint8Array,
  rewards: Float64Array,
  values: Float64Array,
  { gammaTurn, lambda: ahead }: { readonly gammaTurn: number; readonly lambda: number },
): void {
  let nextValue = 0;
  let carry = 0;
  for (let token = ends.length - 1; token >= 0; token -= 1) {
    if (ends[token] === 0) continue;
    const value = values[token] as number;
    carry = (rewards[token] as number) + gammaTurn * nextValue - value + gammaTurn * ahead * carry;
    nextValue = value;
    rewards[token] = carry + value;
  }
}
