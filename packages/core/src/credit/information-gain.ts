/** Gain of a turn: by how much it raised the probability of the reference answer. Shared by IGPO and A2TGPO. */
import { trajectoriesOf } from "./batch-index.ts";
import { entry, type Grouping } from "./columns.ts";
import type { IndexedBatch } from "./credit.ts";
import { groupAdvantages, type GroupOptions } from "./groups.ts";

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
  for (const [, steps] of trajectoriesOf(batch)) {
    for (const [place, at] of steps.entries()) {
      const { signals, truncated } = entry(batch.rows, at);
      const isAnswer = place === steps.length - 1 && truncated !== true;
      if (isAnswer || signals?.answerLogprob === undefined) continue;
      gains[at] = Math.exp(signals.answerLogprob.after) - Math.exp(signals.answerLogprob.before);
      counted[at] = 1;
    }
  }
  return { gains, counted };
}

/** Gains against those of their group; 0 for turns without a gain, and for one without peers. */
export function gainAdvantages(
  { gains, counted }: InformationGains,
  groups: Grouping,
  options: Omit<GroupOptions, "singleton">,
): Float64Array {
  const { advantages } = groupAdvantages(gains, groups, { ...options, singleton: "zero", counted });
  return advantages.map((value, at) => (counted[at] === 1 ? value : 0));
}
