import { expect, test } from "vitest";
import { responses, totalVariation } from "../../test/support/enumerable-strings.ts";
import { createProductPolicy } from "./product-policy.ts";
import { createTabularPolicy, randomTable } from "./tabular/index.ts";
import type { Policy } from "./policy.ts";

const VOCABULARY = 4;
const LENGTH = 3;
const table = (seed: number, spread = 1) =>
  createTabularPolicy({ probabilities: randomTable({ states: VOCABULARY, vocabularySize: VOCABULARY, seed, spread }) });
const strings = responses(VOCABULARY, LENGTH);
const logChance = (policy: ReturnType<typeof table>, ids: readonly number[]): number =>
  ids.reduce((total, id, at) => total + (policy.logprobs(at === 0 ? 0 : (ids[at - 1] as number))[id] as number), 0);

/** Shares of the strings among many draws, one conversation each. */
async function drawn(policy: Policy, count: number, among = strings): Promise<number[]> {
  const shares = new Map<string, number>();
  for (let seed = 0; seed < count; seed += 1) {
    const talk = policy.open({ seed });
    talk.extend([0]);
    const { ids } = await talk.sample({ maxTokens: among[0]?.length ?? 1 });
    shares.set(ids.join(), (shares.get(ids.join()) ?? 0) + 1 / count);
  }
  return among.map((ids) => shares.get(ids.join()) ?? 0);
}

test("with several draws it comes to base * guide^(1 / beta) over whole responses, whatever the prefixes weigh", async () => {
  const small = (seed: number) =>
    createTabularPolicy({ probabilities: randomTable({ states: 3, vocabularySize: 3, seed, spread: 1.5 }) });
  const [base, guide] = [small(15), small(115)];
  const short = responses(3, 2);
  const weights = short.map((ids) => Math.exp(logChance(base, ids) + 2 * logChance(guide, ids)));
  const total = weights.reduce((left, right) => left + right, 0);
  const whole = weights.map((weight) => weight / total);
  const distances: number[] = [];
  for (const draws of [1, 4, 24]) {
    const shares = await drawn(createProductPolicy(base, guide, { beta: 0.5, draws }), 1_200, short);
    distances.push(totalVariation(shares, whole));
  }
  // Worked out exactly, one draw at a time is 0.461 off.
  expect(distances[0]).toBeGreaterThan(0.4);
  expect(distances[1]).toBeLessThan(distances[0] as number);
  expect(distances[2]).toBeLessThan(0.05);
});
