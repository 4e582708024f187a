/**
 * gate sigmoid(gate) times up: the gated unit of a feed-forward layer. The further outputs are s = sigmoid(gate) and
 * y = gate s. With h = y up the result and g its gradient:
 *
 *   grad up = g y,   grad gate = g up (s + y (1 - s)) = g (h + s (up - h))
 *
 * which takes five passes over the data; by the rules of its parts it would be seven. Without gradient it is `silu`, fused,
 * and a product.
 */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats } from "../shapes.ts";
import { sameShape, type Tensor } from "../tensor.ts";

export const gatedSilu: Operator = {
  infer: ([gate, up]) => {
    if (gate?.dtype !== "float32" || up?.dtype !== "float32") return "gate and up must be float32";
    return sameShape(gate.shape, up.shape) ? [gate, gate, gate] : "gate and up must have one shape";
  },
  lower: ({ inputs, ops, uses }) => {
    const [gate, up] = inputs as [Tensor, Tensor];
    if (!uses(1)) {
      const opened = ops.silu(gate);
      // The second output is not asked for; anything may stand in its place.
      return [ops.mul(opened, up), gate, opened];
    }
    const share = ops.sigmoid(gate);
    const opened = ops.mul(gate, share);
    return [ops.mul(opened, up), share, opened];
  },
  gradient: over(({ inputs: [, up], outputs: [result, share, opened], change, ops }) => {
    const slope = ops.add(ops.mul(ops.sub(up, result), share), result);
    return [ops.mul(change, slope), ops.mul(change, opened)];
  }),
  cases: [{ inputs: floats([2, 3], [2, 3]) }],
};
