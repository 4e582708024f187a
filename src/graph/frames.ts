/** What many operators share beside their formula: how a gradient rule is called, and whole kinds of operators. */
import type { GradientContext, Operator, OperatorCase } from "./operator.ts";
import {
  axisOf,
  broadcast,
  broadcastCases,
  broadcastFloats,
  floats,
  indices,
  listOf,
  reduced,
  sameFloats,
  within,
} from "./shapes.ts";
import type { Tensor } from "./tensor.ts";

/** What a gradient rule works with: `change` is the gradient of `result`. */
interface Known extends Pick<GradientContext, "node" | "ops"> {
  readonly result: Tensor;
  readonly change: Tensor;
}

type Rule<Inputs> = (known: Known & Inputs) => readonly (Tensor | undefined)[];
type OneInput = { readonly value: Tensor };
type TwoInputs = { readonly left: Tensor; readonly right: Tensor };

/** The tensors of an operator: as many as it has. */
type Tensors = readonly [Tensor, Tensor, Tensor, Tensor];

/** The rule of an operator of which only the first output has a gradient; further ones serve the rule. */
export function over(
  rule: Rule<{ readonly inputs: Tensors; readonly outputs: Tensors }>,
): NonNullable<Operator["gradient"]> {
  return ({ node, ops, inputs, outputs, gradients: [change] }) => {
    if (change === undefined) return [];
    const tensors = { inputs: inputs as unknown as Tensors, outputs: outputs as unknown as Tensors };
    return rule({ node, ops, ...tensors, result: outputs[0] as Tensor, change });
  };
}

/** The rule of an operator with one input and one output. */
export function overOne(rule: Rule<OneInput>): NonNullable<Operator["gradient"]> {
  return over(({ inputs: [value], ...known }) => rule({ ...known, value }));
}

/** The rule of an operator with two inputs and one output. */
export function overTwo(rule: Rule<TwoInputs>): NonNullable<Operator["gradient"]> {
  return over(({ inputs: [left, right], ...known }) => rule({ ...known, left, right }));
}

/** Element by element over one float32 tensor. `range`: of the values that it is tried with. */
export function unary(
  type: string,
  rule: (known: Known & OneInput) => Tensor,
  range: readonly [number, number] = [-1, 1],
): Operator {
  return {
    infer: sameFloats,
    onnx: () => ({ type }),
    gradient: overOne((known) => [rule(known)]),
    cases: [{ inputs: within(range, [2, 3]) }],
  };
}

/** Element by element over two float32 tensors, with broadcasting: what was stretched is summed up again. */
export function binary(
  type: string,
  rule: (known: Known & TwoInputs) => readonly [left: Tensor, right: Tensor],
  cases: readonly OperatorCase[] = broadcastCases(),
): Operator {
  return {
    infer: broadcastFloats,
    onnx: () => ({ type }),
    gradient: overTwo((known) => {
      const [left, right] = rule(known);
      return [known.ops.sumTo(left, known.left.shape), known.ops.sumTo(right, known.right.shape)];
    }),
    cases,
  };
}

/** A truth value for each pair of elements, with broadcasting; it has no gradient. */
export function comparison(type: string): Operator {
  return {
    infer: ([left, right]) => {
      if (left === undefined || right === undefined || left.dtype !== right.dtype) {
        return "both sides must have one type";
      }
      const shape = broadcast(left.shape, right.shape);
      return typeof shape === "string" ? shape : [{ shape, dtype: "bool" }];
    },
    onnx: () => ({ type }),
    cases: [{ inputs: [...indices([2, 3], 3), ...indices([3], 3)] }],
  };
}

/** One value over axes, which stay as ones. Without a rule it has no gradient. */
export function reduction(type: string, rule?: (known: Known & OneInput) => Tensor): Operator {
  return {
    infer: reduced,
    onnx: ({ attributes }) => ({ type, attributes: { keepdims: 1 }, extra: [listOf(attributes, "axes")] }),
    ...(rule === undefined ? {} : { gradient: overOne((known) => [rule(known)]) }),
    cases: [
      { inputs: floats([2, 3]), attributes: { axes: [1] } },
      { inputs: floats([2, 3, 2]), attributes: { axes: [0, 2] } },
    ],
  };
}

/** Float32 of the same shape, where the elements along one axis depend on each other. */
export function alongAxis(type: string, rule: (known: Known & { readonly axis: number }) => Tensor): Operator {
  return {
    infer: (inputs, attributes) => {
      const axis = axisOf(attributes, inputs[0]?.shape.length ?? 0);
      return typeof axis === "string" ? axis : sameFloats(inputs);
    },
    onnx: ({ attributes }) => ({ type, attributes }),
    gradient: overOne((known) => [rule({ ...known, axis: Number(known.node.attributes["axis"]) })]),
    cases: [
      { inputs: floats([2, 4]), attributes: { axis: 1 } },
      { inputs: floats([2, 3, 2]), attributes: { axis: 1 } },
    ],
  };
}
