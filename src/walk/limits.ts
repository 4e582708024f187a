/** Limits of one episode and of single calls. */
import { EngineError } from "../base/index.ts";

export interface EpisodeLimits {
  /** Steps after which an episode is truncated. Default: the world's own. */
  readonly steps?: number;
  /** Sampled tokens of an episode. */
  readonly tokens?: number;
  readonly seconds?: number;
  /** One answer of the policy. Default: 600 s. */
  readonly policySeconds?: number;
  /** One step of the world. Default: 60 s. */
  readonly envSeconds?: number;
}

export function checkEpisodeLimits(limits: EpisodeLimits): Required<Omit<EpisodeLimits, "steps">> {
  for (const [name, value] of Object.entries(limits)) {
    if (typeof value === "number" && value > 0) continue;
    throw new EngineError("bad-limit", `The episode limit ${name} is ${value}; it must be a number above 0.`);
  }
  const { tokens = Infinity, seconds = Infinity, policySeconds = 600, envSeconds = 60 } = limits;
  return { tokens, seconds, policySeconds, envSeconds };
}
