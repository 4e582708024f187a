/** What many operators share beside their formula: how a gradient rule is called, and whole kinds of operators. */
import type { GradientContext, Operator, OperatorCase } from "./operator.ts";
import type { Attributes, Shape, Tensor, TensorType } from "./tensor.ts";

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

// Shape arithmetic shared by operators. A string result is a fault in words.

/** NumPy's broadcasting of two shapes. */
export function broadcast(left: Shape, right: Shape): Shape | string {
  const rank = Math.max(left.length, right.length);
  const shape: number[] = [];
  for (let axis = 0; axis < rank; axis += 1) {
    const a = left[axis - rank + left.length] ?? 1;
    const b = right[axis - rank + right.length] ?? 1;
    if (a !== b && a !== 1 && b !== 1) return `axis ${axis} has ${a} on the left and ${b} on the right`;
    shape.push(a === 1 ? b : a);
  }
  return shape;
}

/** The result of an element-wise operator over two float32 tensors. */
function broadcastFloats(inputs: readonly TensorType[]): readonly TensorType[] | string {
  const [left, right] = inputs;
  if (left?.dtype !== "float32" || right?.dtype !== "float32") return "both sides must be float32";
  const shape = broadcast(left.shape, right.shape);
  return typeof shape === "string" ? shape : [{ shape, dtype: "float32" }];
}

/** Inputs of a case: float32 tensors of these shapes. */
export function floats(...shapes: readonly Shape[]): OperatorCase["inputs"] {
  return shapes.map((shape) => ({ shape, dtype: "float32" }));
}

/** Inputs of a case: one tensor of whole numbers below a bound. */
export function indices(shape: Shape, below: number): OperatorCase["inputs"] {
  return [{ shape, dtype: "int64", range: [0, below] }];
}

/** Inputs of a case: one float32 tensor of numbers within a range. */
export function within(range: readonly [number, number], shape: Shape): OperatorCase["inputs"] {
  return [{ shape, dtype: "float32", range }];
}

/** Cases of an operator over two: equal shapes, a row along the other, and both stretched. */
export function broadcastCases(rightRange: readonly [number, number] = [-1, 1]): OperatorCase[] {
  return [
    { inputs: [...floats([2, 3]), ...within(rightRange, [2, 3])] },
    { inputs: [...floats([2, 3]), ...within(rightRange, [3])] },
    { inputs: [...floats([2, 1, 3]), ...within(rightRange, [4, 1])] },
  ];
}

/** The result of an element-wise operator over one float32 tensor. */
export function sameFloats(inputs: readonly TensorType[]): readonly TensorType[] | string {
  const [value] = inputs;
  return value?.dtype === "float32" ? [{ shape: value.shape, dtype: "float32" }] : "the value must be float32";
}

/** The axis attribute, checked against the rank. */
export function axisOf(attributes: Attributes, rank: number): number | string {
  const axis = Number(attributes["axis"]);
  return Number.isInteger(axis) && axis >= 0 && axis < rank ? axis : `axis ${axis} is not one of 0 to ${rank - 1}`;
}

/** A copy of the shape with one size changed. */
export function withSize(shape: Shape, axis: number, size: number): Shape {
  return shape.map((old, at) => (at === axis ? size : old));
}

/** The sizes stored in a list attribute. */
export function listOf(attributes: Attributes, name: string): readonly number[] {
  const value = attributes[name];
  return typeof value === "object" ? value : [];
}

/** The result of a reduction that keeps its axes as ones. */
function reduced(inputs: readonly TensorType[], attributes: Attributes): readonly TensorType[] | string {
  const [value] = inputs;
  const axes = listOf(attributes, "axes");
  if (value?.dtype !== "float32") return "the value must be float32";
  const wrong = axes.find((axis) => !(Number.isInteger(axis) && axis >= 0 && axis < value.shape.length));
  if (wrong !== undefined) return `axis ${wrong} is not one of 0 to ${value.shape.length - 1}`;
  return [{ shape: value.shape.map((size, axis) => (axes.includes(axis) ? 1 : size)), dtype: "float32" }];
}
