/** How often a policy draws each of some strings of one length. */
import type { Policy } from "../../packages/policy/src/policy/policy.ts";

/** Shares of the strings among many draws, one conversation each. */
export async function drawn(policy: Policy, count: number, among: readonly (readonly number[])[]): Promise<number[]> {
  const shares = new Map<string, number>();
  for (let seed = 0; seed < count; seed += 1) {
    const talk = policy.open({ seed });
    talk.extend([0]);
    const { ids } = await talk.sample({ maxTokens: among[0]?.length ?? 1 });
    shares.set(ids.join(), (shares.get(ids.join()) ?? 0) + 1 / count);
  }
  return among.map((ids) => shares.get(ids.join()) ?? 0);
}
