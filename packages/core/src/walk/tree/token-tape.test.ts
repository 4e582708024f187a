import fc from "fast-check";
import { expect, test } from "vitest";
import type { TokenStream } from "limbeck-base/trajectory/trajectory";
import { SearchNode, type Piece } from "./node.ts";
import { joinLine, TokenTape } from "./pieces.ts";

const float = fc.float({ noNaN: true, min: -50, max: 0 });

/** Something read, an answer, something read; then perhaps contexts of their own that were only read. */
const pieces = fc
  .record({
    before: fc.nat(3),
    answer: fc.array(fc.tuple(fc.nat(1_000), float, float), { maxLength: 6 }),
    after: fc.nat(5),
    fresh: fc.array(fc.nat(4), { maxLength: 2 }),
    isSampledKnown: fc.boolean(),
    isOdd: fc.boolean(),
  })
  .map(({ before, answer, after, fresh, isSampledKnown, isOdd }) => {
    const stream = (start: number, said: readonly (readonly [number, number, number])[], end: number): TokenStream => {
      const length = start + said.length + end;
      const at = (index: number): readonly [number, number, number] | undefined => said[index - start];
      return {
        ids: Int32Array.from({ length }, (_, index) => at(index)?.[0] ?? 7),
        mask: Uint8Array.from({ length }, (_, index) => (at(index) === undefined ? 0 : 1)),
        logprobs: Float32Array.from({ length }, (_, index) => at(index)?.[1] ?? 0),
        ...(isSampledKnown
          ? { sampledLogprobs: Float32Array.from({ length }, (_, index) => at(index)?.[2] ?? 0) }
          : {}),
        // An answer of two versions has another shape and is kept as it is.
        versions: Int32Array.from({ length }, (_, index) => (at(index) === undefined ? 0 : isOdd ? index : 3)),
        temperatures: Float32Array.from({ length }, (_, index) => (at(index) === undefined ? 0 : 0.5)),
      };
    };
    return [stream(before, answer, after), ...fresh.map((count) => stream(count, [], 0))];
  });

test("whatever is kept comes back as it was", () => {
  const tape = new TokenTape();
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (all) => {
      const kept = all.map((streams) =>
        tape.keep({ shared: 5, streams, lengths: streams.map(({ ids }) => ids.length) }),
      );
      expect(kept.map(({ streams }) => streams)).toStrictEqual(all);
      expect(kept.map(({ lengths }) => lengths)).toEqual(all.map((streams) => streams.map(({ ids }) => ids.length)));
    }),
  );
});

test("pieces that do not fit a chunk begin another", () => {
  const tape = new TokenTape();
  const long = (length: number): TokenStream => ({
    ids: Int32Array.from({ length }, (_, at) => at),
    mask: new Uint8Array(length),
    logprobs: new Float32Array(length),
    versions: new Int32Array(length),
    temperatures: new Float32Array(length),
  });
  const kept = [40_000, 40_000, 70_000, 10].map((length) =>
    tape.keep({ shared: 0, streams: [long(length)], lengths: [length] }),
  );
  for (const { streams, lengths } of kept) {
    const [ids] = streams.map((stream) => stream.ids);
    expect([ids?.length, ids?.[0], ids?.at(-1)]).toEqual([lengths[0], 0, (lengths[0] ?? 0) - 1]);
  }
});

test("a line from the tape is the line of its pieces, one after the other (property)", () => {
  const tape = new TokenTape();
  const lines = fc.array(
    pieces.map(([first]) => first as TokenStream),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(lines, fc.nat(9), fc.array(fc.boolean(), { maxLength: 6 }), (streams, before, gaps) => {
      let shared = before;
      const plain = streams.map((stream, at) => {
        // Where a message was written anew, a piece begins before the end of the one above.
        const start = gaps[at] === true ? Math.max(0, shared - 1) : shared;
        shared = start + stream.ids.length;
        return { shared: start, streams: [stream], lengths: [stream.ids.length] };
      });
      const kept = plain.map((piece) => tape.keep(piece));
      expect(joinLine(lineOf(kept))).toStrictEqual(joinLine(lineOf(plain)));
    }),
  );
});

/** Nodes that each answered the one before with the first token of their piece. */
function lineOf(all: readonly Piece[]): SearchNode[] {
  const line: SearchNode[] = [];
  for (const [index, piece] of all.entries()) {
    const place = { observation: "", stateKey: "", reward: { kind: "scored", value: 0 } } as const;
    const step = { ...place, index, action: "", valid: true, span: { stream: 0, start: 0, end: 1 } };
    const rest = { ending: undefined, success: null, simulated: false, logprob: undefined, said: 1 };
    line.push(new SearchNode({ ...place, ...rest, parent: line.at(-1), order: 0, step, piece }));
  }
  return line;
}
