/** What things cost, with the page and section each figure was measured in. Nothing here was made up; what is assumed says so. */

export interface Cost {
  readonly value: number;
  readonly unit: string;
  /** Page and section, or "assumed" with the reason. */
  readonly source: string;
}

const cost = (value: number, unit: string, source: string): Cost => ({ value, unit, source });

export const COSTS = {
  redisSecondsPerJob: cost(0.0004, "s of its one core", "docs/learn/fleet.md, What breaks first"),
  redisBytesPerJob: cost(9_000, "bytes", "docs/learn/fleet.md, What breaks first"),
  bytesPerEpisode: cost(13_000, "bytes at 260 tokens", "docs/learn/fleet.md, What breaks first"),
  ownSecondsPerEpisode: cost(0.013, "s of a core, 10 steps", "docs/evidence/bench.md, Fleet"),
  requestSeconds: cost(0.00028, "s of a core for a request of a client", "docs/learn/gpu.md, A real model"),
  storeStepsPerSecond: cost(19_218, "steps of 600 tokens", "docs/evidence/bench.md, Store (store/ingest-600)"),
  /** One H200, TinyLlama-1.1B's shape: 64 conversations, and 128 in an update (34,566 tokens in 2.7 s). */
  sampledPerSecondAt64: cost(9_430, "tokens/s", "docs/learn/gpu.md, What was measured"),
  sampledPerSecondAt128: cost(12_802, "tokens/s", "docs/learn/gpu.md, What was measured (update, adapter)"),
  trainedPerSecond: cost(
    54_500,
    "tokens/s, one pass forward and backward, adapter",
    "docs/learn/gpu.md, What was measured",
  ),
  /** Teacher, forward pass, backward and step of 162,566 tokens: 1.5 + 1.7 + 3.5 s. */
  learnSecondsPerToken: cost(
    6.7 / 162_566,
    "s a token of an update of OPID",
    "docs/learn/gpu.md, What was measured (update)",
  ),
  askerSecondsPerEpisode: cost(0.001, "s of a core", "docs/learn/fleet.md, What breaks first (an estimate there)"),
  worldSecondsPerStep: cost(0.0013, "s of a core: 13 ms an episode of 10 steps", "docs/evidence/bench.md, Fleet"),
  networkSeconds: cost(0.0005, "s there and back", "assumed: one data centre"),
  gigabit: cost(125e6, "bytes/s", "assumed: 1 Gbit/s at every machine, as docs/learn/fleet.md does"),
} as const satisfies Record<string, Cost>;

/** Tokens that one GPU samples in a second with so many conversations at once: measured at 64 and 128, straight lines between, level beyond. */
export function sampledPerSecond(conversations: number): number {
  const [low, high] = [COSTS.sampledPerSecondAt64.value, COSTS.sampledPerSecondAt128.value];
  if (conversations <= 64) return (low * conversations) / 64;
  return low + ((high - low) * (Math.min(conversations, 128) - 64)) / 64;
}
