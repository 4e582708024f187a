import { expect, test } from "vitest";
import { ops } from "../build.ts";
import { toOnnx } from "../onnx.ts";
import { operatorContract } from "../operator.contract.ts";
import { compile } from "../program.ts";
import { input } from "../tensor.ts";

// Rows [1 1] and [2 2] both go to row 1, [3 3] to row 0.
operatorContract("scatterRows", [
  {
    inputs: [
      { dtype: "float32", shape: [2, 2], values: [0, 0, 0, 0] },
      { dtype: "int64", shape: [3, 1], values: [1, 0, 1] },
      { dtype: "float32", shape: [3, 2], values: [1, 1, 3, 3, 2, 2] },
    ],
    outputs: [[3, 3, 3, 3]],
  },
  {
    inputs: [
      { dtype: "float32", shape: [2, 1], values: [10, 20] },
      { dtype: "int64", shape: [1, 1], values: [1] },
      { dtype: "float32", shape: [1, 1], values: [5] },
    ],
    outputs: [[10, 25]],
  },
]);

// A race shows itself in some runs only; that the operator which has it is not used shows always.
test("scatterRows: the runtime's operator for rows, which loses additions on several threads, is not written", () => {
  const indices = input("indices", "int64", [3]);
  const updates = input("updates", "float32", [3, 2]);
  const bytes = Buffer.from(toOnnx({ sums: ops.scatterRows(indices, updates, 2) }).bytes);
  expect(["ScatterElements", "ScatterND"].filter((type) => bytes.includes(type))).toEqual(["ScatterElements"]);
});

// 4,096 rows of ones, every fourth into the same row of the table: 1,024 in each number. Large enough for several threads.
test.each([2, 3])("scatterRows: on %i threads no addition is lost, however often a row is named", async (threads) => {
  const [rows, width] = [4_096, 64];
  const indices = input("indices", "int64", [rows]);
  const updates = input("updates", "float32", [rows, width]);
  const program = await compile({ sums: ops.scatterRows(indices, updates, 4) }, { threads });
  const feeds = {
    indices: BigInt64Array.from({ length: rows }, (_, at) => BigInt(at % 4)),
    updates: new Float32Array(rows * width).fill(1),
  };
  const wrong = new Set<number>();
  for (let time = 0; time < 40; time += 1) {
    const { sums } = await program.run(feeds);
    for (const sum of sums as Float32Array) if (sum !== 1_024) wrong.add(sum);
  }
  await program.close();
  expect([...wrong]).toEqual([]);
});
