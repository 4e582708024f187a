/** How surprised the policy was by what it drew. */
import { mean } from "limbeck-base/base/statistics/summary";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

/** Mean of -log p over the sampled tokens, which estimates the entropy, in nats; NaN where nothing was sampled. */
export function surprise(episodes: readonly Trajectory[]): number {
  const logprobs = episodes.flatMap(({ streams }) =>
    streams.flatMap(({ logprobs: values, mask }) =>
      values === undefined ? [] : Array.from(values.filter((_, at) => mask[at] === 1)),
    ),
  );
  return -mean(logprobs);
}
