import { describe, expect, test } from "vitest";
import { createRng, type Rng } from "../base/rng.ts";
import { apply, ops } from "./build.ts";
import { gradients } from "./gradient.ts";
import type { Operator } from "./operator.ts";
import { operators, type OperatorId } from "./operators/index.ts";
import { compile } from "./program.ts";
import { elementCount, input, type Tensor, type TensorData } from "./tensor.ts";

function draw(type: Operator["cases"][number]["inputs"][number], rng: Rng): TensorData {
  const count = elementCount(type.shape);
  const [low, high] = type.range ?? [-1, 1];
  if (type.dtype === "int64") return BigInt64Array.from({ length: count }, () => BigInt(low + rng.int(high - low)));
  if (type.dtype === "bool") return Uint8Array.from({ length: count }, () => rng.int(2));
  return Float32Array.from({ length: count }, () => low + rng.float() * (high - low));
}

describe.each(Object.entries(operators) as [OperatorId, Operator][])("%s", (name, operator) => {
  test.each(operator.cases.map((one, at) => ({ one, at })))(
    "gradient equals finite differences, case $at",
    async ({ one, at }) => {
      const rng = createRng(`${name} ${at}`);
      const inputs = one.inputs.map((type, index) => input(`x${index}`, type.dtype, type.shape));
      const outputs = apply(name, inputs, one.attributes);
      const floats = outputs.filter((output) => output.dtype === "float32");
      const weights = floats.map((output, index) => input(`w${index}`, "float32", output.shape));
      const feeds: Record<string, TensorData> = {};
      one.inputs.forEach((type, index) => (feeds[`x${index}`] = draw(type, rng)));
      weights.forEach((weight, index) => (feeds[`w${index}`] = draw({ dtype: "float32", shape: weight.shape }, rng)));
      const forward = await compile(Object.fromEntries(outputs.map((output, index) => [`y${index}`, output])));
      const value = async (): Promise<number> => {
        const results = await forward.run(feeds);
        return floats.reduce((total, output) => {
          const data = results[`y${output.index}`] as Float32Array;
          const weight = feeds[`w${floats.indexOf(output)}`] as Float32Array;
          return total + data.reduce((sum, item, index) => sum + item * (weight[index] as number), 0);
        }, 0);
      };
      expect(Number.isFinite(await value())).toBe(true);
      if (operator.gradient === undefined) return;
      const of = inputs.filter((tensor) => tensor.dtype === "float32");
      const usable = name === "rmsNorm" ? 1 : floats.length;
      const pulled = gradients(
        floats.slice(0, usable).map((output, index) => ({ output, weight: weights[index] as Tensor })),
        of,
      );
      if (usable < floats.length) (feeds["w1"] as Float32Array).fill(0);
      const backward = await compile(Object.fromEntries(pulled.map((tensor, index) => [`g${index}`, tensor])));
      const found = await backward.run(feeds);
      for (const [index, tensor] of of.entries()) {
        const data = feeds[`x${inputs.indexOf(tensor)}`] as Float32Array;
        for (let element = 0; element < data.length; element += 1) {
          const held = data[element] as number;
          const step = 1 / 64;
          data[element] = held + step;
          const up = await value();
          data[element] = held - step;
          const down = await value();
          data[element] = held;
          expect((found[`g${index}`] as Float32Array)[element]).toBeCloseTo((up - down) / (2 * step), 2);
        }
      }
      await Promise.all([forward.close(), backward.close()]);
    },
  );
});

test("an error names the operator and the shapes", () => {
  const left = input("a", "float32", [2, 3]);
  expect(() => ops.matmul(left, input("b", "float32", [4, 5]))).toThrow(
    "matmul(float32[2, 3], float32[4, 5]): the left side has 3 columns, the right side 4 rows.",
  );
});
