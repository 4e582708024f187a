/**
 * Serialises a graph as an ONNX model. Field numbers are those of onnx.proto (IR version 8, operator set 18).
 * Everything a session needs is in the bytes; weights are inputs, so the bytes stay small.
 */
import { EngineError } from "limbeck-base/base/errors";
import { ops } from "./build.ts";
import type { Operator } from "./operator.ts";
import { operators } from "./operators/index.ts";
import { nodesOf, rewrite } from "./order.ts";
import { createMessage, type Message } from "limbeck-base/base/protobuf";
import {
  contentKey,
  elementCount,
  isConstant,
  isInput,
  ONNX_TYPE,
  type Attributes,
  type DataType,
  type Node,
  type Tensor,
  type TensorData,
  type TensorType,
} from "./tensor.ts";
import { listOf } from "./frames.ts";

const IR_VERSION = 8;
const OPERATOR_SET = 18;

export interface OnnxModel {
  readonly bytes: Uint8Array;
  readonly inputs: Readonly<Record<string, TensorType>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
  readonly nodes: number;
  /** Estimated memory of a run besides inputs. */
  readonly peakBytes: number;
}

/**
 * Named outputs to a model. Inputs keep the names they were made with. Those in `freeRows` take any number of rows, the
 * same for all of them, and every output has as many: for graphs in which rows do not meet.
 *
 * @example
 * import { input, ops } from "limbeck/local";
 *
 * const x = input("x", "float32", [2]);
 * const { bytes, inputs } = toOnnx({ twice: ops.add(x, x) });
 * console.log(bytes.length > 0, inputs["x"]); // true { shape: [ 2 ], dtype: "float32" }
 */
export function toOnnx(outputs: Readonly<Record<string, Tensor>>, freeRows: readonly string[] = []): OnnxModel {
  const names = Object.keys(outputs);
  const lowered = lower(Object.values(outputs));
  const tensors = simplify(freeRows.length === 0 ? joinShapes(lowered) : lowered);
  const graph = createMessage();
  const writer = createWriter(graph, names, tensors);
  const inputs: Record<string, TensorType> = {};
  const order = nodesOf(tensors);
  for (const node of order) {
    if (!isInput(node)) continue;
    inputs[node.name] = node.outputs[0] as TensorType;
  }
  for (const node of order) writer.node(node);
  names.forEach((name, at) => writer.output(tensors[at] as Tensor, name));
  graph.bytes(2, "limbeck");
  for (const [name, type] of Object.entries(inputs)) graph.bytes(11, valueInfo(name, type, freeRows.includes(name)));
  names.forEach((name, at) => graph.bytes(12, valueInfo(name, tensors[at] as Tensor, freeRows.length > 0)));
  const model = createMessage();
  model.integer(1, IR_VERSION);
  model.bytes(2, "limbeck");
  model.bytes(7, graph);
  for (const [domain, version] of [
    ["", OPERATOR_SET],
    ["com.microsoft", 1],
  ] as const) {
    const set = createMessage();
    if (domain !== "") set.bytes(1, domain);
    set.integer(2, version);
    model.bytes(8, set);
  }
  // Without the nodes behind them, which may hold weights.
  const types = Object.fromEntries(
    names.map((name, at) => [name, { shape: (tensors[at] as Tensor).shape, dtype: (tensors[at] as Tensor).dtype }]),
  );
  return { bytes: model.finish(), inputs, outputs: types, nodes: order.length, peakBytes: peakBytes(order, tensors) };
}

/** Composite operators into those they stand for. Gradients are taken before, by the composite's own rule. */
function lower(outputs: readonly Tensor[]): Tensor[] {
  const order = nodesOf(outputs);
  const used = new Map<Node, Set<number>>(order.map((node) => [node, new Set()]));
  for (const { node, index } of [...order.flatMap(({ inputs }) => inputs), ...outputs]) used.get(node)?.add(index);
  return rewrite(outputs, (node, inputs) => {
    const uses = (output: number): boolean => used.get(node)?.has(output) === true;
    return operatorOf(node)?.lower?.({ node, inputs, ops, uses });
  });
}

function operatorOf({ operator }: Node): Operator | undefined {
  return (operators as Readonly<Record<string, Operator>>)[operator];
}

function createWriter(
  graph: Message,
  outputNames: readonly string[],
  outputs: readonly Tensor[],
): { node(node: Node): void; output(tensor: Tensor, name: string): void } {
  const names = new Map<Node, string>();
  /** A value that is an output has its name; the first, where it has several. */
  const given = new Map<Node, Map<number, string>>();
  outputs.forEach(({ node, index }, at) => {
    const own = given.get(node) ?? new Map<number, string>();
    given.set(node, own);
    if (!own.has(index)) own.set(index, outputNames[at] as string);
  });
  const initializers = new Map<string, string>();
  const nameOf = (tensor: Tensor): string => {
    const name = names.get(tensor.node) as string;
    if (isInput(tensor.node) || isConstant(tensor.node)) return name;
    return given.get(tensor.node)?.get(tensor.index) ?? `${name}.${tensor.index}`;
  };
  const initializer = (type: TensorType, data: TensorData): string => {
    const key = `${type.dtype} ${type.shape.join(",")} ${contentKey(data)}`;
    const known = initializers.get(key);
    if (known !== undefined) return known;
    const name = `constant${initializers.size}`;
    initializers.set(key, name);
    const tensor = createMessage();
    for (const size of type.shape) tensor.integer(1, size);
    tensor.integer(2, ONNX_TYPE[type.dtype]);
    tensor.bytes(8, name);
    tensor.bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    graph.bytes(5, tensor);
    return name;
  };
  const emit = (
    type: string,
    domain: string,
    inputs: readonly string[],
    outputs: readonly string[],
    rest: (message: Message) => void,
  ): void => {
    const message = createMessage();
    for (const name of inputs) message.bytes(1, name);
    for (const name of outputs) message.bytes(2, name);
    message.bytes(4, type);
    rest(message);
    if (domain !== "") message.bytes(7, domain);
    graph.bytes(1, message);
  };
  return {
    node: (node) => {
      if (isInput(node)) {
        names.set(node, node.name);
        return;
      }
      // An initializer by its own name: only such weights are packed by the runtime.
      if (isConstant(node)) {
        names.set(node, initializer(node.outputs[0] as TensorType, node.data));
        return;
      }
      names.set(node, `n${names.size}`);
      const own = node.outputs.map((type, index) => nameOf({ node, index, ...type }));
      const form = operatorOf(node)?.onnx?.(node);
      if (form === undefined) throw new EngineError("internal", `internal: no operator "${node.operator}".`);
      const extra = (form.extra ?? []).map((value) =>
        "float" in value
          ? initializer({ shape: [], dtype: "float32" }, Float32Array.of(value.float))
          : initializer({ shape: [value.length], dtype: "int64" }, BigInt64Array.from(value, BigInt)),
      );
      emit(form.type, form.domain ?? "", [...node.inputs.map(nameOf), ...extra], own, (message) => {
        writeAttributes(message, form.attributes ?? {}, form.floatAttributes ?? {});
      });
    },
    // An output that is an input, or has a second name, gets a node of its own.
    output: (tensor, name) => {
      if (nameOf(tensor) !== name) emit("Identity", "", [nameOf(tensor)], [name], () => undefined);
    },
  };
}

/** AttributeProto types: 1 float, 2 integer, 3 text, 7 integers. */
function writeAttributes(message: Message, attributes: Attributes, floats: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(floats)) {
    const attribute = createMessage();
    attribute.bytes(1, name);
    attribute.float(2, value);
    attribute.integer(20, 1);
    message.bytes(5, attribute);
  }
  for (const [name, value] of Object.entries(attributes)) {
    const attribute = createMessage();
    attribute.bytes(1, name);
    if (typeof value === "number") attribute.integer(3, value);
    else if (typeof value === "string") attribute.bytes(4, value);
    else for (const item of value) attribute.integer(8, item);
    attribute.integer(20, typeof value === "number" ? 2 : typeof value === "string" ? 3 : 7);
    message.bytes(5, attribute);
  }
}

function valueInfo(name: string, type: TensorType, freeRows: boolean): Message {
  const shape = createMessage();
  type.shape.forEach((size, axis) => {
    const dimension = createMessage();
    if (freeRows && axis === 0) dimension.bytes(2, "rows");
    else dimension.integer(1, size);
    shape.bytes(1, dimension);
  });
  const tensor = createMessage();
  tensor.integer(1, ONNX_TYPE[type.dtype]);
  tensor.bytes(2, shape);
  const wrapped = createMessage();
  wrapped.bytes(1, tensor);
  const info = createMessage();
  info.bytes(1, name);
  info.bytes(2, wrapped);
  return info;
}

const SIZE: Readonly<Record<DataType, number>> = { float32: 4, float16: 2, int64: 8, bool: 1, uint8: 1 };

/**
 * The most bytes of intermediate results alive at one time when nodes run in this order and each result is freed after its
 * last use. The runtime may order and reuse differently, so it is an estimate.
 */
export function peakBytes(order: readonly Node[], outputs: readonly Tensor[]): number {
  const lastUse = new Map<Node, number>();
  order.forEach((node, at) => {
    lastUse.set(node, at);
    for (const { node: from } of node.inputs) lastUse.set(from, at);
  });
  for (const { node } of outputs) lastUse.set(node, order.length);
  const freed = order.map((): number => 0);
  let alive = 0;
  let peak = 0;
  order.forEach((node, at) => {
    // A reshape is a view of what it is made from.
    const own = isConstant(node) || isInput(node) || node.operator === "reshape" ? 0 : bytesOf(node);
    alive += own;
    const end = lastUse.get(node) as number;
    if (end < order.length) freed[end] = (freed[end] as number) + own;
    peak = Math.max(peak, alive);
    alive -= freed[at] as number;
  });
  return peak;
}

function bytesOf(node: Node): number {
  return node.outputs.reduce((total, { shape, dtype }) => total + elementCount(shape) * SIZE[dtype], 0);
}

// One new shape in place of several. A transposition that moves only axes of length one leaves every number where it is and is a
// new shape too. A decoding step of one token is full of them, and to the runtime each is a node like any other.

/** The same outputs; every shape must be the one that runs, so not for graphs that take any number of rows. */
export function joinShapes(outputs: readonly Tensor[]): Tensor[] {
  return rewrite(outputs, (node, [value]) =>
    value !== undefined && keepsOrder(node) ? [ops.reshape(sourceOf(value), node.outputs[0]?.shape ?? [])] : undefined,
  );
}

/** What a value was before it got its shape. */
function sourceOf(value: Tensor): Tensor {
  return value.node.operator === "reshape" ? (value.node.inputs[0] as Tensor) : value;
}

function keepsOrder({ operator, inputs: [value], attributes }: Node): boolean {
  if (operator === "reshape") return true;
  if (operator !== "transpose" || value === undefined) return false;
  const order = listOf(attributes, "perm");
  // Where the last axis moves, a product takes the transposition into itself.
  if (order.at(-1) !== order.length - 1) return false;
  const long = order.filter((axis) => value.shape[axis] !== 1);
  return long.every((axis, at) => at === 0 || axis > (long[at - 1] as number));
}

// Common-subexpression removal. Dead nodes vanish by themselves: only what the outputs reach is ever visited.

/** The same outputs over a graph in which equal nodes are one node. Inputs are equal when their names are. */
export function simplify(outputs: readonly Tensor[]): Tensor[] {
  const kept = new Map<string, Node>();
  const numbers = new Map<Node, number>();
  const replaced = new Map<Node, Node>();
  const moved = (tensor: Tensor): Tensor => ({ ...tensor, node: replaced.get(tensor.node) ?? tensor.node });
  for (const node of nodesOf(outputs)) {
    const inputs = node.inputs.map(moved);
    const key = keyOf(node, inputs, numbers);
    let twin = kept.get(key);
    if (twin === undefined) {
      twin = inputs.every((tensor, at) => tensor.node === node.inputs[at]?.node) ? node : { ...node, inputs };
      kept.set(key, twin);
      numbers.set(twin, numbers.size);
    }
    replaced.set(node, twin);
  }
  return outputs.map(moved);
}

function keyOf(node: Node, inputs: readonly Tensor[], numbers: ReadonlyMap<Node, number>): string {
  if (isInput(node)) return `input ${node.name}`;
  if (isConstant(node)) return `constant ${JSON.stringify(node.outputs)} ${contentKey(node.data)}`;
  const from = inputs.map((tensor) => `${numbers.get(tensor.node)}.${tensor.index}`).join(" ");
  return `${node.operator} ${JSON.stringify(node.attributes)} ${from}`;
}
