/** Scalar heads on the hidden state after the last norm: one number per token, which learns beside the model. */
import { input, type Tensor } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import type { StatisticName } from "../objective.ts";
import type { ModelConfig } from "./model-config.ts";

/** "value" foretells the return before a token is known; "quality" judges the response with that token. */
export const HEAD_NAMES = ["value", "quality"] as const satisfies readonly StatisticName[];
export type HeadName = (typeof HEAD_NAMES)[number];

/** How far in front of a token its statistic is read: one that foretells must not have seen what it foretells. */
export function leadOf(name: StatisticName): 0 | 1 {
  return name === "quality" ? 0 : 1;
}

/**
 * Parameters of the named heads, to be laid out beside the model's own.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("countdown"), { heads: (config) => headShapes(config, ["value"]) });
 * console.log(model.weights.places.get("value_head.weight")?.shape); // [ 1, 128 ]
 * await model.close();
 */
export function headShapes(config: ModelConfig, names: readonly HeadName[]): Map<string, readonly number[]> {
  return new Map(
    names.flatMap((name): [string, readonly number[]][] => [
      [`${name}_head.weight`, [1, config.hiddenSize]],
      [`${name}_head.bias`, [1]],
    ]),
  );
}

/** The heads that these parameters hold. */
export function headsIn(views: Readonly<Record<string, unknown>>): HeadName[] {
  return HEAD_NAMES.filter((name) => Object.hasOwn(views, `${name}_head.weight`));
}

/** [tokens, 1]: hidden times weight plus bias. The parameters it made are added to `parameters`. */
export function headOutput(
  config: ModelConfig,
  name: HeadName,
  hidden: Tensor,
  parameters: Map<string, Tensor>,
): Tensor {
  const [weight, bias] = [...headShapes(config, [name])].map(([parameter, shape]) => {
    const tensor = input(parameter, "float32", shape);
    parameters.set(parameter, tensor);
    return tensor;
  }) as [Tensor, Tensor];
  return ops.add(ops.gemm(hidden, weight, { transRight: true }), bias);
}
