/** Gain of a turn: by how much it raised the probability of the reference answer. Shared by IGPO and A2TGPO. */
import type { CreditRow, IndexedBatch } from "./credit.ts";
import { stepsOf } from "./trajectory-groups.ts";

export interface InformationGains {
  /** exp(after) - exp(before); 0 where there is none. */
  readonly gains: Float64Array;
  /** 1 for turns that have a gain: all but the answer turn, and none where there is no reference answer. */
  readonly counted: Uint8Array;
}

/** The last row of a trajectory is its answer turn, unless a budget cut it off before it could answer. */
export function informationGains(batch: IndexedBatch): InformationGains {
  const gains = new Float64Array(batch.rows.length);
  const counted = new Uint8Array(batch.rows.length);
  for (let trajectory = 0; trajectory < batch.index.trajectories; trajectory += 1) {
    const steps = stepsOf(batch, trajectory);
    for (const [place, at] of steps.entries()) {
      const { signals, truncated } = batch.rows[at] as CreditRow;
      const isAnswer = place === steps.length - 1 && truncated !== true;
      if (isAnswer || signals?.answerLogprob === undefined) continue;
      gains[at] = Math.exp(signals.answerLogprob.after) - Math.exp(signals.answerLogprob.before);
      counted[at] = 1;
    }
  }
  return { gains, counted };
}

/** Advantages of the counted rows against the counted rows of their group; 0 for the others. */
export function withoutUncounted(advantages: Float64Array, counted: Uint8Array): Float64Array {
  return advantages.map((value, at) => (counted[at] === 1 ? value : 0));
}

export const lastOf = (batch: IndexedBatch, trajectory: number): number => stepsOf(batch, trajectory).at(-1) as number;
