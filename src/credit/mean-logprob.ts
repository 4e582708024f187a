/** Mean log-probability of a row's trained tokens under the policy before the update; 0 without any. */
import type { CreditRow } from "./credit.ts";

export function meanLogprob({ mask, logprobs }: CreditRow): number {
  let [sum, count] = [0, 0];
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] === 0) continue;
    sum += logprobs?.old?.[token] ?? 0;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}
