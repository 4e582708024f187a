/**
 * What every operator must pass: values worked out by hand, and a gradient equal to central differences.
 * Differences are taken of sum(weight * output) with random weights, one input element at a time.
 */
import { expect, test } from "vitest";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { apply } from "./build.ts";
import { gradients } from "./gradient.ts";
import type { Operator, OperatorCase } from "./operator.ts";
import { operators, type OperatorId } from "./operators/index.ts";
import { compile } from "./program.ts";
import { elementCount, input, type Attributes, type Tensor, type TensorData, type TensorType } from "./tensor.ts";

/** One application with numbers a person can check. */
export interface Example {
  readonly inputs: readonly (TensorType & { readonly values: readonly number[] })[];
  readonly attributes?: Attributes;
  /** The values of each output, in order. */
  readonly outputs: readonly (readonly number[])[];
}

export function operatorContract(name: OperatorId, examples: readonly Example[]): void {
  const operator: Operator = operators[name];
  test.each(examples.map((example, at) => ({ example, at })))(
    `${name}: values by hand, example $at`,
    async ({ example }) => {
      const feeds = Object.fromEntries(example.inputs.map((one, at) => [`x${at}`, toData(one, one.values)]));
      const inputs = example.inputs.map((one, at) => input(`x${at}`, one.dtype, one.shape));
      const found = await evaluate(apply(name, inputs, example.attributes), feeds);
      expect(found.map((values) => values.map((value) => Number(value.toFixed(5))))).toEqual(example.outputs);
    },
  );
  if (operator.gradient === undefined || name === "stopGradient") return;
  test.each(operator.cases.map((one, at) => ({ one, at })))(
    `${name}: gradient by differences, case $at`,
    async ({ one, at }) => {
      await checkGradient(name, one, createRng(`${name} ${at}`));
    },
  );
}

async function checkGradient(name: OperatorId, one: OperatorCase, rng: Rng): Promise<void> {
  const inputs = one.inputs.map((type, at) => input(`x${at}`, type.dtype, type.shape));
  const output = apply(name, inputs, one.attributes);
  // Further outputs of a fused operator are by-products for its own gradient rule.
  const used = name === "split" ? output : output.slice(0, 1);
  const weights = used.map((tensor, at) => input(`w${at}`, "float32", tensor.shape));
  const feeds: Record<string, TensorData> = {};
  one.inputs.forEach((type, at) => (feeds[`x${at}`] = draw(type, rng)));
  weights.forEach((weight, at) => (feeds[`w${at}`] = draw({ dtype: "float32", shape: weight.shape }, rng)));
  const of = inputs.filter((tensor, at) => tensor.dtype === "float32" && one.inputs[at]?.fixed !== true);
  const pulled = gradients(
    used.map((tensor, at) => ({ output: tensor, weight: weights[at] as Tensor })),
    of,
  );
  const found = await evaluate(pulled, feeds);
  const forward = await compile(Object.fromEntries(used.map((tensor, at) => [`y${at}`, tensor])));
  const objective = async (): Promise<number> => {
    const results = await forward.run(feeds);
    return used.reduce(
      (total, _, at) => total + dot(results[`y${at}`] as Float32Array, feeds[`w${at}`] as Float32Array),
      0,
    );
  };
  // Large enough that float32 rounding stays far below the tolerance, small enough for the curvature of these operators.
  const step = 1 / 64;
  for (const [at, tensor] of of.entries()) {
    const data = feeds[`x${inputs.indexOf(tensor)}`] as Float32Array;
    for (const [element, held] of data.slice().entries()) {
      data[element] = held + step;
      const up = await objective();
      data[element] = held - step;
      const down = await objective();
      data[element] = held;
      expect(found[at]?.[element]).toBeCloseTo((up - down) / (2 * step), 2);
    }
  }
  await forward.close();
}

async function evaluate(tensors: readonly Tensor[], feeds: Readonly<Record<string, TensorData>>): Promise<number[][]> {
  const program = await compile(Object.fromEntries(tensors.map((tensor, at) => [`y${at}`, tensor])));
  const results = await program.run(feeds);
  await program.close();
  return tensors.map((_, at) => Array.from(results[`y${at}`] as ArrayLike<number | bigint>, Number));
}

function draw(type: OperatorCase["inputs"][number], rng: Rng): TensorData {
  const [low, high] = type.range ?? [-1, 1];
  const values = Array.from({ length: elementCount(type.shape) }, () => {
    if (type.dtype === "float32") return low + rng.float() * (high - low);
    return type.dtype === "int64" ? low + rng.int(high - low) : rng.int(2);
  });
  return toData(type, values);
}

function toData(type: TensorType, values: readonly number[]): TensorData {
  if (type.dtype === "int64") return BigInt64Array.from(values, BigInt);
  return type.dtype === "bool" || type.dtype === "uint8" ? Uint8Array.from(values) : Float32Array.from(values);
}

function dot(left: Float32Array, right: Float32Array): number {
  return left.reduce((total, value, at) => total + value * (right[at] as number), 0);
}
