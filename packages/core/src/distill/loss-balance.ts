/**
 * RAFT's weight of the distillation beside the fine-tuning: both losses are followed by running
 * averages, and the weight keeps them the same size.
 *
 *   average <- decay average + (1 - decay) loss        weight = base average_sft / average_kd, held inside bounds
 */

/** Plain numbers, for a checkpoint; null before the first loss. */
export interface Averages {
  readonly tuning: number | null;
  readonly teaching: number | null;
}

export interface BalanceOptions {
  /** The weight where both averages are equal. */
  readonly base: number;
  readonly decay: number;
  readonly least: number;
  readonly most: number;
}

export const NO_AVERAGES: Averages = { tuning: null, teaching: null };

/** The first loss is the first average; a loss that did not arise leaves its average as it was. */
export function movedAverage(average: number | null, loss: number | null, decay: number): number | null {
  if (loss === null) return average;
  return average === null ? loss : decay * average + (1 - decay) * loss;
}

/** A vanishing distillation loss gives the largest weight, not an infinite one; before any loss the base counts. */
export function balancedWeight({ tuning, teaching }: Averages, { base, least, most }: BalanceOptions): number {
  const wanted = tuning === null || teaching === null ? base : teaching <= 0 ? most : (base * tuning) / teaching;
  return Math.min(Math.max(wanted, least), most);
}
