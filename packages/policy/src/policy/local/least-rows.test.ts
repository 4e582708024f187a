import { expect, test } from "vitest";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import { compile } from "../../graph/program.ts";
import { input } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import { bucket, fineBucket, leastRows } from "./least-rows.ts";
import type { ModelConfig } from "./model-config.ts";

function model(hiddenSize: number, intermediateSize: number): ModelConfig {
  return {
    form: "llama",
    vocabularySize: 64,
    hiddenSize,
    layers: 1,
    heads: hiddenSize / 32,
    keyValueHeads: hiddenSize / 32,
    headSize: 32,
    intermediateSize,
    contextLength: 64,
    ropeTheta: 10_000,
    normEpsilon: 1e-6,
    tiedEmbeddings: true,
  };
}

test("by hand: 128 columns of 352 terms, two threads", () => {
  const config = model(128, 352);
  // One token a row: up to 64 rows are fewer than 128 columns, so threads have 64 columns each at every size.
  expect(leastRows(config, 1, 64, 2)).toEqual({ rows: 2, tall: [] });
  // Eight tokens a row: from 16 rows on there are 128 tokens, and threads divide them instead of the columns. That holds for this product
  // alone; the others have 128 terms. A row's last token is no single one among the 64 words.
  const tall = [
    { columns: 128, terms: 352, tokens: 128 },
    { columns: 64, terms: 128, tokens: 2 },
  ];
  expect(leastRows(config, 8, 64, 2)).toEqual({ rows: 1, tall });
  expect(leastRows(config, 32, 64, 2)).toEqual({ rows: 1, tall });
  // 5 threads would divide the columns of one row's 4 heads. Of 20 rows not every size is a part.
  expect(leastRows(config, 32, 64, 5)).toEqual({ rows: 2, tall: [tall[0]] });
  expect(leastRows(config, 8, 20, 2)).toEqual({ rows: 16, tall: [] });
  // One thread has all columns, and all products of at most 128 terms are one block.
  expect(leastRows(config, 8, 64, 1)).toEqual({ rows: 1, tall: [tall[1]] });
  expect(leastRows(model(64, 128), 8, 64, 2)).toEqual({ rows: 1, tall: [{ columns: 64, terms: 64, tokens: 2 }] });
});

test("by hand: sizes of batches and caches", () => {
  const sizes = (least: number, most: number, find: typeof bucket): number[] => [
    ...new Set(Array.from({ length: most }, (_, at) => find(at + 1, least, most))),
  ];
  expect(sizes(1, 64, bucket)).toEqual([1, 2, 4, 8, 16, 32, 64]);
  expect(sizes(1, 64, fineBucket)).toEqual([1, 2, 4, 8, 12, 16, 24, 32, 48, 64]);
  expect(sizes(64, 1_024, fineBucket)).toEqual([64, 96, 128, 192, 256, 384, 512, 768, 1_024]);
  expect(sizes(8, 20, fineBucket)).toEqual([8, 12, 16, 20]);
  expect(() => fineBucket(21, 8, 20)).toThrow("21 is more than the largest size 20.");
});

test.each([
  { columns: 128, terms: 352, threads: 2 },
  { columns: 352, terms: 256, threads: 2 },
  { columns: 256, terms: 704, threads: 3 },
  { columns: 160, terms: 640, threads: 4 },
])(
  "$columns columns of $terms terms on $threads threads: a row's sums do not depend on the rows from there on",
  async (one) => {
    const { columns, terms, threads } = one;
    // The product is that of the second half of a feed-forward layer; the first half has the sizes the other way round.
    const config = { ...model(columns, terms), heads: 1, keyValueHeads: 1 };
    const rng = createRng(`${columns} ${terms}`);
    const draw = (count: number): Float32Array => Float32Array.from({ length: count }, () => rng.normal());
    const [first, weight] = [draw(terms), draw(columns * terms)];
    const sums = async (tokens: number): Promise<number[]> => {
      const product = ops.gemm(input("x", "float32", [tokens, terms]), input("w", "float32", [columns, terms]), {
        transRight: true,
      });
      const program = await compile({ product }, { threads, calm: true });
      const x = new Float32Array(tokens * terms);
      x.set(first);
      const results = await program.run({ x, w: weight });
      await program.close();
      return [...(results["product"] as Float32Array).subarray(0, columns)];
    };
    for (const width of [1, 24, 8, 32].slice(0, tries(2, 4))) {
      const wanted = await sums(64 * width);
      const { rows: least, tall } = leastRows(config, width, 64, threads);
      const needed = tall.find((product) => product.columns === columns && product.terms === terms)?.tokens ?? 0;
      const sizes = new Set(
        Array.from({ length: 64 }, (_, at) => (width === 1 ? bucket : fineBucket)(at + 1, least, 64)),
      );
      for (const rows of sizes) expect(await sums(Math.max(needed, rows * width))).toEqual(wanted);
    }
  },
);
