/** A policy's answer is checked before it is recorded: one that breaks its contract costs one trajectory, never the run. */
import { EngineError } from "../../base/index.ts";
import type { Policy, Sampled } from "../../policy/index.ts";

/** Log-probability of a token that was certain may come out a hair above zero. */
const ROUNDING = 1e-6;

export function checkResponse(policy: Policy, sampled: Sampled, maxTokens: number): void {
  const { ids, logprobs, sampledLogprobs, version } = sampled;
  const count = ids.length;
  if (count === 0) throw refused(policy, "it holds no tokens");
  if (count > maxTokens) throw refused(policy, `it holds ${count} tokens where at most ${maxTokens} were asked for`);
  // Empty: a server that does not tell what it drew from.
  const drawn = sampledLogprobs.length === 0 ? count : sampledLogprobs.length;
  if (logprobs.length !== count || drawn !== count) {
    throw refused(policy, `${count} tokens have ${logprobs.length} and ${sampledLogprobs.length} log-probabilities`);
  }
  if (!Number.isInteger(version)) throw refused(policy, `its version is ${version}, not a whole number`);
  for (let at = 0; at < count; at += 1) {
    const id = ids[at] as number;
    if (!(Number.isInteger(id) && id >= 0)) throw refused(policy, `token ${at} has the id ${id}`);
    checkLogprob(policy, logprobs[at] as number, at);
    checkLogprob(policy, sampledLogprobs[at] ?? 0, at);
  }
}

function checkLogprob(policy: Policy, value: number, at: number): void {
  if (Number.isFinite(value) && value <= ROUNDING) return;
  throw refused(policy, `token ${at} has the log-probability ${value}; it must be finite and not above 0`);
}

function refused(policy: Policy, what: string): EngineError {
  return new EngineError("bad-response", `The answer of policy "${policy.ref.name}" cannot be used: ${what}.`, {
    details: { policy: policy.ref.name },
  });
}
