import { expect, test } from "vitest";
import { drawn } from "../../../../test/support/drawn-strings.ts";
import { responses, totalVariation } from "../../../../test/support/enumerable-strings.ts";
import { createProductPolicy } from "./product-policy.ts";
import { createTabularPolicy, randomTable, type TabularPolicy } from "./tabular/tabular-policy.ts";

const logChance = (policy: TabularPolicy, ids: readonly number[]): number =>
  ids.reduce((total, id, at) => total + (policy.logprobs(at === 0 ? 0 : (ids[at - 1] as number))[id] as number), 0);

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
