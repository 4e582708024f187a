/** Element by element over one tensor or over several with broadcasting, and changes of the type. */
import {
  binary,
  broadcast,
  broadcastCases,
  comparison,
  floats,
  indices,
  over,
  overOne,
  sameFloats,
  unary,
  within,
} from "../frames.ts";
import type { Operator } from "../operator.ts";
import { ONNX_TYPE, sameShape, scalar, type Tensor } from "../tensor.ts";

export const elementwise = {
  /** Sum, with broadcasting. d(a + b) = da + db. */
  add: binary("Add", ({ change }) => [change, change]),
  /** Difference, with broadcasting. d(a - b) = da - db. */
  sub: binary("Sub", ({ change, ops }) => [change, ops.neg(change)]),
  /** Product, with broadcasting. d(a b) = b da + a db. */
  mul: binary("Mul", ({ change, left, right, ops }) => [ops.mul(change, right), ops.mul(change, left)]),
  /** Quotient, with broadcasting. d(a / b) = da / b - (a / b) db / b. */
  div: binary(
    "Div",
    ({ change, right, result, ops }) => [ops.div(change, right), ops.neg(ops.mul(change, ops.div(result, right)))],
    broadcastCases([0.5, 2]),
  ),
  /** The smaller of two values, with broadcasting. The gradient goes to the smaller, to the right one where they are equal. */
  min: binary(
    "Min",
    ({ change, left, right, ops }) => {
      const first = ops.greater(right, left);
      return [ops.where(first, change, scalar(0)), ops.where(first, scalar(0), change)];
    },
    [
      { inputs: [...within([0, 1], [2, 3]), ...within([2, 3], [2, 1])] },
      { inputs: [...within([2, 3], [2, 3]), ...within([0, 1], [3])] },
    ],
  ),
  /** Negation. d(-x) = -dx. */
  neg: unary("Neg", ({ change, ops }) => ops.neg(change)),
  /** Exponential. d(exp x) = exp(x) dx. */
  exp: unary("Exp", ({ change, result, ops }) => ops.mul(change, result)),
  /** Natural logarithm. d(log x) = dx / x. */
  log: unary("Log", ({ change, value, ops }) => ops.div(change, value), [0.5, 2]),
  /** Square root. d(sqrt x) = dx / (2 sqrt x). */
  sqrt: unary("Sqrt", ({ change, result, ops }) => ops.div(change, ops.add(result, result)), [0.5, 2]),
  /** Reciprocal. d(1 / x) = -dx / x^2. */
  reciprocal: unary(
    "Reciprocal",
    ({ change, result, ops }) => ops.neg(ops.mul(change, ops.mul(result, result))),
    [0.5, 2],
  ),
  /** Logistic function. With s = 1 / (1 + exp(-x)): ds = s (1 - s) dx = (s - s^2) dx. */
  sigmoid: unary("Sigmoid", ({ change, result, ops }) => ops.mul(change, ops.sub(result, ops.mul(result, result)))),
  /** Hyperbolic tangent. With t = tanh x: dt = (1 - t^2) dx. */
  tanh: unary("Tanh", ({ change, result, ops }) => ops.sub(change, ops.mul(change, ops.mul(result, result)))),
  /** x sigmoid(x), as one fused operator of the runtime. With s = sigmoid x: d(x s) = (s + x s (1 - s)) dx. */
  silu: {
    infer: sameFloats,
    onnx: () => ({ type: "QuickGelu", domain: "com.microsoft", floatAttributes: { alpha: 1 } }),
    gradient: overOne(({ value, result, change, ops }) => {
      // s + x s - x s^2 = s + y - y s = s (1 - y) + y, with y = x s.
      const gate = ops.sigmoid(value);
      return [ops.mul(change, ops.add(ops.sub(gate, ops.mul(gate, result)), result))];
    }),
    cases: [{ inputs: floats([2, 3]) }],
  },
  /**
   * gate sigmoid(gate) times up: the gated unit of a feed-forward layer. The further outputs are s = sigmoid(gate) and
   * y = gate s. With h = y up the result and g its gradient:
   *
   *   grad up = g y,   grad gate = g up (s + y (1 - s)) = g (h + s (up - h))
   *
   * which takes five passes over the data; by the rules of its parts it would be seven. Without gradient it is `silu`, fused,
   * and a product.
   */
  gatedSilu: {
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
  },
  /** Whether two values are equal, with broadcasting. A truth value has no gradient. */
  equal: comparison("Equal"),
  /** Whether the left value is larger, with broadcasting. A truth value has no gradient. */
  greater: comparison("Greater"),
  /** One of two values per element, by a condition. Each side receives the gradient where it was chosen. */
  where: {
    infer: ([condition, yes, no]) => {
      if (condition?.dtype !== "bool") return "the condition must be bool";
      if (yes === undefined || no === undefined || yes.dtype !== no.dtype) return "both values must have one type";
      const both = broadcast(yes.shape, no.shape);
      const shape = typeof both === "string" ? both : broadcast(condition.shape, both);
      return typeof shape === "string" ? shape : [{ shape, dtype: yes.dtype }];
    },
    onnx: () => ({ type: "Where" }),
    gradient: over(({ inputs: [condition, yes, no], change, ops }) => {
      const zero = scalar(0);
      return [
        undefined,
        ops.sumTo(ops.where(condition, change, zero), yes.shape),
        ops.sumTo(ops.where(condition, zero, change), no.shape),
      ];
    }),
    cases: [{ inputs: [{ shape: [2, 3], dtype: "bool" }, ...floats([2, 3], [])] }],
  },
  /** The same values in another type. Only float32 carries a gradient, so a cast between types ends it. */
  cast: {
    infer: ([value], attributes) => {
      const dtype = attributes["to"];
      if (value === undefined) return "there is no value";
      if (dtype !== "float32" && dtype !== "float16" && dtype !== "int64" && dtype !== "bool")
        return `"${String(dtype)}" is not a type`;
      return [{ shape: value.shape, dtype }];
    },
    onnx: ({ outputs }) => ({ type: "Cast", attributes: { to: ONNX_TYPE[outputs[0]?.dtype ?? "float32"] } }),
    cases: [{ inputs: indices([2, 3], 5), attributes: { to: "float32" } }],
  },
  /** The same value; no gradient passes. What a formula treats as a constant goes through here. */
  stopGradient: {
    infer: ([value]) => (value === undefined ? "there is no value" : [{ shape: value.shape, dtype: value.dtype }]),
    onnx: () => ({ type: "Identity" }),
    gradient: () => [],
    cases: [{ inputs: floats([2, 3]) }],
  },
} as const satisfies Record<string, Operator>;
