/**
 * Bi-level GAE for conversations: first over the ends of turns, then over the tokens inside each turn.
 */
import { entry } from "./columns.ts";
import { type CreditRow, defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { lookBack } from "./gae.ts";
import { tokenRewards } from "./scores.ts";
import { gamma, invalidPenalty, lambda } from "./shared-options.ts";
import { tokenArrays } from "./tokens.ts";
import { whiten, whitenedTerms } from "./whiten.ts";

export const biLevelGae = defineCredit({
  info: {
    title: "Bi-level GAE",
    paper: "VAGEN (turn-level then token-level advantage estimation); code of RAGEN",
    confidence: "code",
    source: "mll-lab-nu/RAGEN @ 20daedc4; ragen/trainer/core_algos.py: compute_bi_level_gae_advantage_return",
    formula: [
      "over turn ends e: A_e = r_e + gammaTurn * V_(next end) - V_e + gammaTurn * lambda * A_(next end)",
      "the reward of each turn end becomes A_e + V_e",
      "inside each turn: token GAE with gamma; value and carry begin at 0 behind the turn's end",
    ],
    meaning: "Credit flows between turns with one discount and inside a turn with another.",
    departures: [
      "Published code takes tokens with a reward other than 0 for turn ends, trained or not, so a turn that earned exactly 0 is not seen. Give turns to say where they end; their last trained token is the end.",
      "A row whose last trained token is no turn end, one that earned exactly 0 too, makes published code fail; here what follows the last end is plain token GAE.",
      "Published training refuses rewards of single turns with this estimator, so that only the end of the conversation is a turn end there and 0.95 never acts; here a training gives every turn as an end, whether it earned or not, so an outcome of 1 after three turns counts 0.9025 in the first, there 1.",
      "Published training can leave out the groups whose rewards vary least (rollout_filter, off by default); here all stay.",
      "VAGEN's own later code (mll-lab-nu/VAGEN @ 1fc6b4b4, bi_level_gae.py) is one pass over the tokens: a turn's end looks at the next turn's first token with gamma 0.95 and lambda 0.95, and a quarter of it is plain token GAE; an outcome of 1 after three turns, values 0, counts 0.8609 in the first, here 0.9025.",
      "There a conversation is one row. Here turns are those of one row, and rows of one episode are not linked.",
    ],
  },
  needs: ["values"],
  mayNeed: { turns: "where a turn may earn exactly 0" },
  wants: () => ["turns"],
  options: {
    gamma: gamma(1, "tokens inside a turn"),
    gammaTurn: gamma(0.95, "turns"),
    lambda: lambda(1),
    whiten,
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
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
      const reward = entry(rewards, at);
      const ends = turnEnds(row, reward);
      const { values, mask } = row;
      // Over the ends alone first. Returns are written last, so they stay as what each turn passes on to its tokens.
      const turn = { mask: ends, values, rewards: reward, gamma: options.gammaTurn, lambda: options.lambda };
      lookBack(turn, reward, reward);
      lookBack({ mask, values, rewards: reward, ends, ...options }, entry(advantages, at), entry(returns, at));
    }
    return { terms: whitenedTerms(batch, "critic", { perToken: advantages }, options.whiten), returns };
  },
});

/** 1 on the last trained token of each turn that was given; otherwise on each trained token that has a reward. */
function turnEnds({ mask, turns }: CreditRow, rewards: Float64Array): Uint8Array {
  if (turns === undefined) return mask.map((trained, token) => (trained === 1 && rewards[token] !== 0 ? 1 : 0));
  const ends = new Uint8Array(mask.length);
  for (const { start, end } of turns) {
    const last = mask.lastIndexOf(1, end - 1);
    if (last >= start) ends[last] = 1;
  }
  return ends;
}
