import fc from "fast-check";
import { expect, test } from "vitest";
import { datumOf, mergeOutputs, pack, splitDatums, tokensOf, unpackFloats, unpackInts } from "./datum.ts";

const row = (length: number) =>
  datumOf(
    Int32Array.from({ length }, (_, at) => at),
    length,
    {},
  );

test("parts keep the order, lose nothing and stay within the limits, unless one datum is larger by itself", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 2, max: 30 })), fc.integer({ min: 1, max: 5 }), (lengths, datums) => {
      const data = lengths.map((length) => row(length));
      const limits = { datums, bytes: 600, tokens: 40 };
      const parts = [...splitDatums(data, limits)];
      expect(parts.flatMap(({ sent }) => sent)).toEqual(data);
      for (const { data: part } of parts) {
        expect(part.length).toBeGreaterThan(0);
        expect(part.length).toBeLessThanOrEqual(datums);
        if (part.length === 1) continue;
        expect(part.reduce((total, datum) => total + tokensOf(datum), 0)).toBeLessThanOrEqual(40);
        expect(part.reduce((total, datum) => total + JSON.stringify(datum).length, 0)).toBeLessThanOrEqual(600);
      }
    }),
  );
});

test("a packed datum holds the same numbers, and its size is that of its JSON to a few bytes", () => {
  const given = datumOf(Int32Array.of(5, 6, 7), 3, { weights: [0, 0, 1], advantages: [0, 0.5, -1.25] });
  const sent = [...splitDatums([given, given], { packed: true })].flatMap((chunk) => chunk.sent);
  const { limbeck } = sent[0] as { readonly limbeck: Readonly<Record<string, string>> };
  expect([...unpackInts(limbeck["tokens"] ?? "")]).toEqual([5, 6]);
  expect([...unpackInts(limbeck["target_tokens"] ?? "")]).toEqual([6, 7]);
  expect([...unpackFloats(limbeck["weights"] ?? "")]).toEqual([0, 1]);
  expect([...unpackFloats(limbeck["advantages"] ?? "")]).toEqual([0.5, -1.25]);
  const { length } = JSON.stringify(sent[0]);
  // The first part is a quarter of the others.
  const parts = (count: number, bytes: number): number[] =>
    [...splitDatums(Array<typeof given>(count).fill(given), { packed: true, bytes })].map(({ data }) => data.length);
  expect(parts(2, 4 * (2 * length - 20))).toEqual([1, 1]);
  expect(parts(2, 4 * (2 * length + 20))).toEqual([2]);
  expect(parts(12, 4 * (2 * length + 20))).toEqual([2, 8, 2]);
});

test("packed answers are read; one of another length is refused", () => {
  const chunks = [...splitDatums([datumOf(Int32Array.of(5, 6, 7), 3, {})], { packed: true })];
  const answer = (values: readonly number[]) => ({
    loss_fn_outputs: [],
    limbeck: { logprobs: [pack(Float32Array.from(values))], losses: [pack(Float32Array.of(1, 2))] },
  });
  const { logprobs, losses } = mergeOutputs(chunks, [answer([-0.5, -0.25])]);
  expect([[...(logprobs[0] ?? [])], [...(losses[0] ?? [])]]).toEqual([
    [-0.5, -0.25],
    [1, 2],
  ]);
  expect(() => mergeOutputs(chunks, [answer([-0.5])])).toThrow(/2 tokens got 1 log-probabilities/);
});
