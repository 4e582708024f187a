import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { create, promisesOfCores, vocabularySize } from "../../../../../../test/support/cores.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Objective, TrainRow } from "../../objective.ts";
import type { Conversation } from "../../policy.ts";
import type { LocalPolicy } from "../local-policy.ts";
import { createAdapter } from "../lora.ts";
import { copyWeights } from "../weights.ts";

const draw = (label: string, length: number): Int32Array => {
  const rng = createRng(label);
  return Int32Array.from({ length }, () => rng.int(vocabularySize));
};
const rows: TrainRow[] = Array.from({ length: 9 }, (_, row) => {
  const ids = draw(`row ${row}`, 20 + 5 * row);
  return { ids, mask: new Uint8Array(ids.length).fill(1) };
});
/** Its weights depend on the statistics, so that scores come first. */
const squared: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }, _frozen, given) => {
    const weights = logprob.map((row, at) =>
      row.map((value, token) => (token === 0 ? 0 : (value * (given[at]?.mask[token] ?? 0)) / 100)),
    );
    let loss = 0;
    logprob.forEach((row) => row.forEach((value) => (loss += value ** 2 / 200)));
    return { loss, weights: { logprob: weights } };
  },
};

async function everything(policy: LocalPolicy): Promise<unknown> {
  const talks = Array.from({ length: 6 }, (_, row) => {
    const talk = policy.open({ seed: row });
    talk.extend(draw(`talk ${row % 2}`, 40));
    return talk;
  });
  const said = await Promise.all(talks.map((talk) => talk.sample({ maxTokens: 9, temperature: 1.3 })));
  const forks = talks.map((talk, row) => talk.fork(`fork ${row}`));
  for (const fork of forks) fork.extend(draw("more", 5));
  const allowed = [[1, 2, 3], Int32Array.of(4, 5)];
  const after = await Promise.all(forks.map((fork) => fork.sample({ maxTokens: 4, allowed })));
  const [first] = await policy.score(rows, { statistics: ["logprob", "entropy"] });
  const tops = await policy.topTokens(rows.slice(0, 3), { count: 2 });
  const report = await policy.backward(rows, squared);
  const gradient = policy.core.gradient.slice();
  const { gradientNorm } = await policy.step({ learningRate: 1e-2 });
  const again = await policy.score(rows);
  const talk = policy.open({ seed: 3 });
  talk.extend(draw("talk", 40));
  const later = await talk.sample({ maxTokens: 9 });
  return {
    said,
    after,
    tokens: forks.map(({ tokens }) => tokens),
    first,
    tops,
    report,
    gradient,
    gradientNorm,
    again,
    later,
  };
}

describe("cores", () => {
  let policies: readonly LocalPolicy[] = [];
  beforeAll(() => {
    policies = [create({ cores: 1 }), create({ cores: 2 }), create({ cores: 3 })];
  });
  afterAll(async () => {
    await Promise.all(policies.map((policy) => policy.close()));
  });

  test("every number of cores gives the same bits: sampling, scores, gradients, steps", async () => {
    const [alone, two, three] = await Promise.all(policies.map(everything));
    expect(two).toEqual(alone);
    expect(three).toEqual(alone);
  });

  test("other weights are scored with, as they are at that moment", async () => {
    const [alone, two] = policies as readonly [LocalPolicy, LocalPolicy];
    const other = copyWeights(alone.weights);
    for (const factor of [0.5, 2]) {
      for (let at = 0; at < other.flat.length; at += 1) other.flat[at] = (other.flat[at] as number) * factor;
      expect(await two.scorerWith(other).score(rows)).toEqual(await alone.scorerWith(other).score(rows));
    }
  });

  test("a cancelled response leaves what was said, and the conversation goes on", async () => {
    const [, two] = policies as readonly [LocalPolicy, LocalPolicy];
    const talk = two.open({ seed: 1 });
    talk.extend(draw("cancelled", 20));
    const stop = new AbortController();
    const saying = talk.sample({ maxTokens: 200, signal: stop.signal });
    expect(() => talk.extend([1])).toThrow("is sampling");
    stop.abort();
    await expect(saying).rejects.toMatchObject({ code: "cancelled" });
    const { ids } = await talk.sample({ maxTokens: 2 });
    expect(talk.tokens.slice(-2)).toEqual(ids);
    talk.close();
    expect(() => talk.fork(1)).toThrow("closed");
    const next = two.open({ seed: 1, after: talk, shared: 20 });
    expect(next.tokens).toEqual(draw("cancelled", 20));
    expect((await next.sample({ maxTokens: 3 })).ids).toHaveLength(3);
  });
});

test("an adapter learns the same on one core and on two", async () => {
  const found = await Promise.all(
    [1, 2].map(async (cores) => {
      const policy = create({ cores, adapter: (form) => createAdapter(form, { rank: 2, seed: 5 }) });
      const results: unknown[] = [];
      for (let update = 0; update < 2; update += 1) {
        await policy.backward(rows, squared);
        results.push(policy.core.gradient.slice(), (await policy.step({ learningRate: 1e-2 })).gradientNorm);
      }
      results.push(await policy.score(rows));
      await policy.close();
      return results;
    }),
  );
  expect(found[1]).toEqual(found[0]);
});

test("closing a conversation that is speaking lets it end, and leaves the others alone", async () => {
  const policy = create({ cores: 2 });
  const talks = [0, 1, 2].map((row) => {
    const talk = policy.open({ seed: row });
    talk.extend(draw(`talk ${row}`, 20));
    return talk;
  });
  const stop = new AbortController();
  const saying = talks.map((talk) =>
    talk.sample({ maxTokens: 30, signal: stop.signal }).catch((error: unknown) => error),
  );
  talks[0]?.close();
  stop.abort();
  talks[1]?.close();
  for (const answer of await Promise.all(saying)) expect(answer).toMatchObject({ code: "cancelled" });
  expect((await (talks[2] as Conversation).sample({ maxTokens: 2 })).ids).toHaveLength(2);
  await policy.close();
});

// Every way to share the work keeps what is promised of any policy.
promisesOfCores(2, 6);
