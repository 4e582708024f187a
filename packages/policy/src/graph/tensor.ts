/** Symbolic tensors: static shapes, static types, no values. A tensor knows the node that makes it, and so the graph. */
import { EngineError } from "limbeck-base/base/errors";

export type DataType = "float32" | "float16" | "int64" | "bool" | "uint8";
/** Numbers of ONNX's data types. */
export const ONNX_TYPE: Readonly<Record<DataType, number>> = { float32: 1, uint8: 2, int64: 7, bool: 9, float16: 10 };
export type Shape = readonly number[];
export type Attribute = number | string | readonly number[];
export type Attributes = Readonly<Record<string, Attribute>>;

export interface TensorType {
  readonly shape: Shape;
  readonly dtype: DataType;
}

/** One application of an operator. */
export interface Node {
  readonly operator: string;
  readonly inputs: readonly Tensor[];
  readonly attributes: Attributes;
  readonly outputs: readonly TensorType[];
}

export interface Tensor extends TensorType {
  readonly node: Node;
  /** Which output of the node this is. */
  readonly index: number;
}

/** A constant's values; bool as 0 and 1, float16 by its bits. */
export type TensorData = Float32Array | Uint16Array | BigInt64Array | Uint8Array;

/** A node without inputs whose values are part of the graph. */
export interface ConstantNode extends Node {
  readonly operator: "constant";
  readonly data: TensorData;
}

/** A node without inputs whose values are given at every run, under this name. */
export interface InputNode extends Node {
  readonly operator: "input";
  readonly name: string;
}

/** The tensors that a node makes. */
export function outputsOf(node: Node): Tensor[] {
  return node.outputs.map(({ shape, dtype }, index) => ({ node, index, shape, dtype }));
}

export function isConstant(node: Node): node is ConstantNode {
  return node.operator === "constant";
}

export function isInput(node: Node): node is InputNode {
  return node.operator === "input";
}

export function elementCount(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function sameShape(left: Shape, right: Shape): boolean {
  return left.length === right.length && left.every((size, axis) => size === right[axis]);
}

/** "float32[2, 3]", for errors and printing. */
export function describeType(type: TensorType): string {
  return `${type.dtype}[${type.shape.join(", ")}]`;
}

/**
 * A value that is given at every run.
 *
 * @example
 * import { ops } from "limbeck/local";
 *
 * const x = input("x", "float32", [2, 3]);
 * console.log(ops.reduceSum(x, [1]).shape); // [ 2, 1 ]
 */
export function input(name: string, dtype: DataType, shape: Shape): Tensor {
  checkShape(`input "${name}"`, shape);
  const node: InputNode = { operator: "input", name, inputs: [], attributes: {}, outputs: [{ shape, dtype }] };
  return { node, index: 0, shape, dtype };
}

/**
 * A value that is part of the graph.
 *
 * @example
 * console.log(constant(Float32Array.of(1, 2, 3, 4), [2, 2]).shape); // [ 2, 2 ]
 */
export function constant(data: TensorData, shape: Shape = []): Tensor {
  checkShape("constant", shape);
  if (data.length !== elementCount(shape)) {
    throw new EngineError(
      "graph-shape",
      `constant: ${data.length} values do not fill the shape [${shape.join(", ")}].`,
    );
  }
  const dtype: DataType = data instanceof Float32Array ? "float32" : data instanceof BigInt64Array ? "int64" : "bool";
  const node: ConstantNode = { operator: "constant", data, inputs: [], attributes: {}, outputs: [{ shape, dtype }] };
  return { node, index: 0, shape, dtype };
}

/** Bytes that are part of the graph: what packed weights are made of. */
export function bytes(data: Uint8Array, shape: Shape): Tensor {
  const { node } = constant(data, shape);
  const packed: ConstantNode = { ...(node as ConstantNode), outputs: [{ shape, dtype: "uint8" }] };
  return { node: packed, index: 0, shape, dtype: "uint8" };
}

/** Constants of more bytes than this are compared by identity, not by content. */
const SHORT_BYTES = 65_536;
const numbered = new WeakMap<TensorData, number>();
let arrays = 0;

/** Equal for constants with equal bytes; large ones are equal only where they share an array. */
export function contentKey(data: TensorData): string {
  if (data.byteLength <= SHORT_BYTES) {
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  }
  const known = numbered.get(data) ?? (arrays += 1);
  numbered.set(data, known);
  return `array ${known}`;
}

/**
 * One float32 number, or a tensor filled with it.
 *
 * @example
 * import { input, ops } from "limbeck/local";
 *
 * console.log(ops.mul(input("x", "float32", [4]), scalar(3)).shape); // [ 4 ]
 */
export function scalar(value: number, shape: Shape = []): Tensor {
  return constant(new Float32Array(elementCount(shape)).fill(value), shape);
}

/**
 * Whole numbers as an int64 tensor.
 *
 * @example
 * console.log(integers([3, 1]).dtype, integers([3, 1]).shape); // int64 [ 2 ]
 */
export function integers(values: readonly number[], shape: Shape = [values.length]): Tensor {
  return constant(BigInt64Array.from(values, BigInt), shape);
}

function checkShape(what: string, shape: Shape): void {
  if (shape.every((size) => Number.isInteger(size) && size >= 0)) return;
  throw new EngineError(
    "graph-shape",
    `${what}: the shape [${shape.join(", ")}] must hold whole numbers of at least 0.`,
  );
}
