/** Shape arithmetic shared by operators. A string result is a fault in words. */
import type { OperatorCase } from "./operator.ts";
import type { Attributes, Shape, TensorType } from "./tensor.ts";

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
export function broadcastFloats(inputs: readonly TensorType[]): readonly TensorType[] | string {
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
export function reduced(inputs: readonly TensorType[], attributes: Attributes): readonly TensorType[] | string {
  const [value] = inputs;
  const axes = listOf(attributes, "axes");
  if (value?.dtype !== "float32") return "the value must be float32";
  const wrong = axes.find((axis) => !(Number.isInteger(axis) && axis >= 0 && axis < value.shape.length));
  if (wrong !== undefined) return `axis ${wrong} is not one of 0 to ${value.shape.length - 1}`;
  return [{ shape: value.shape.map((size, axis) => (axes.includes(axis) ? 1 : size)), dtype: "float32" }];
}
