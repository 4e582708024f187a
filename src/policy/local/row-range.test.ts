import { expect, test } from "vitest";
import { createRng } from "../../base/index.ts";
import { compile, input, ops } from "../../graph/index.ts";
import { rowRange } from "./row-range.ts";
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
  expect(rowRange(config, 1, 64, 2)).toEqual({ least: 2, most: 64 });
  // Eight tokens a row: from 16 rows on there are 128 tokens, and threads divide them instead of the columns. Runs of 64 tokens are enough.
  expect(rowRange(config, 8, 64, 2)).toEqual({ least: 1, most: 8 });
  expect(rowRange(config, 32, 64, 2)).toEqual({ least: 1, most: 2 });
  // 20 rows are not whole runs of 8; 5 threads would divide the columns of one row's 4 heads; of 32 tokens a run is short.
  expect(rowRange(config, 8, 20, 2)).toEqual({ least: 16, most: 20 });
  expect(rowRange(config, 32, 64, 5)).toEqual({ least: 2, most: 2 });
  expect(rowRange(model(64, 352), 8, 64, 2)).toEqual({ least: 8, most: 64 });
  // One thread has all columns, and all products of at most 128 terms are one block.
  expect(rowRange(config, 8, 64, 1)).toEqual({ least: 1, most: 64 });
  expect(rowRange(model(64, 128), 8, 64, 2)).toEqual({ least: 1, most: 64 });
});

test.each([
  { columns: 128, terms: 352, threads: 2 },
  { columns: 352, terms: 256, threads: 2 },
  { columns: 256, terms: 704, threads: 3 },
  { columns: 160, terms: 640, threads: 4 },
])(
  "$columns columns of $terms terms on $threads threads: a row's sums do not depend on the rows of a run",
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
      const program = await compile({ product }, { threads });
      const x = new Float32Array(tokens * terms);
      x.set(first);
      const results = await program.run({ x, w: weight });
      await program.close();
      return [...(results["product"] as Float32Array).subarray(0, columns)];
    };
    for (const width of [1, 8, 32]) {
      const { least, most } = rowRange(config, width, 64, threads);
      const wanted = await sums(most * width);
      for (let rows = least; rows < most; rows *= 2) expect(await sums(rows * width)).toEqual(wanted);
    }
  },
);
