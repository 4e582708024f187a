import { expect, test } from "vitest";
import { ops } from "../build.ts";
import { operatorContract } from "../operator.contract.ts";
import { compile } from "../program.ts";
import { bytes, constant, input } from "../tensor.ts";

const row = (first: number, rest: number, length: number): number[] => [
  first,
  ...Array.from({ length: length - 1 }, () => rest),
];

// x is 3, then 31 ones. Row 0: codes 130 and 31 times 129, so 2 and 31 times 1, scale 0.5: 0.5 (6 + 31) = 18.5.
// Row 1: code 127 and 31 times 128, so -1 and zeros, scale 2: -6.
operatorContract("quantisedLinear", [
  {
    inputs: [
      { shape: [1, 32], dtype: "float32", values: row(3, 1, 32) },
      { shape: [2, 1, 32], dtype: "uint8", values: [...row(130, 129, 32), ...row(127, 128, 32)] },
      { shape: [2], dtype: "float32", values: [0.5, 2] },
    ],
    attributes: { bits: 8 },
    outputs: [[18.5, -6]],
  },
  // Bytes of two codes: 0x9a is 10 below and 9 above, so 2 and 1; 0x99 is 1 and 1. Scale 0.5: 0.5 (6 + 31) = 18.5.
  {
    inputs: [
      { shape: [1, 32], dtype: "float32", values: row(3, 1, 32) },
      { shape: [1, 1, 16], dtype: "uint8", values: row(0x9a, 0x99, 16) },
      { shape: [1], dtype: "float32", values: [0.5] },
    ],
    attributes: { bits: 4 },
    outputs: [[18.5]],
  },
]);

test("with weights that are part of the graph, and any number of rows", async () => {
  const codes = bytes(Uint8Array.from([...row(130, 129, 32), ...row(127, 128, 32)]), [2, 1, 32]);
  const product = ops.quantisedLinear(input("x", "float32", [2, 32]), codes, constant(Float32Array.of(0.5, 2), [2]), 8);
  const program = await compile({ product }, { freeRows: ["x"] });
  // By hand 0.5 (2 + 31) and -2; x is rounded to eight bits on the way.
  const one = await program.run({ x: Float32Array.from({ length: 32 }, () => 1) });
  expect([...(one["product"] as Float32Array)].map((value) => Number(value.toFixed(2)))).toEqual([16.5, -2]);
  const three = await program.run({ x: Float32Array.from({ length: 96 }, () => 1) });
  expect([...(three["product"] as Float32Array)].map((value) => Number(value.toFixed(2)))).toEqual([
    16.5, -2, 16.5, -2, 16.5, -2,
  ]);
  await expect(program.run({ x: new Float32Array(33) })).rejects.toThrow("takes 32 values; got 33");
  await program.close();
});

test("what it cannot compute is refused", () => {
  const x = input("x", "float32", [1, 32]);
  const codes = input("codes", "uint8", [2, 1, 32]);
  const scales = input("scales", "float32", [2]);
  expect(() => ops.quantisedLinear(x, codes, scales, 2)).toThrow("the bits are 2; 4 or 8 can be computed");
  expect(() => ops.quantisedLinear(x, codes, scales, 4)).toThrow("the value has 32 columns, the codes have 64");
  expect(() => ops.quantisedLinear(x, codes, input("s", "float32", [3]), 8)).toThrow("the scales must be float32[2]");
});
