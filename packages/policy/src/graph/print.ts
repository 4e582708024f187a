/** A graph in words, one node a line, for a person who wants to see what was built. */
import { nodesOf } from "./order.ts";
import { simplify } from "./onnx.ts";
import { describeType, isConstant, isInput, type Node, type Tensor } from "./tensor.ts";

/**
 * The graph in text: one line a node.
 *
 * @example
 * import { input, ops } from "limbeck/local";
 *
 * const x = input("x", "float32", [2]);
 * console.log(printGraph({ twice: ops.add(x, x) })); // x: float32[2] = input %1: float32[2] = add(x, x) return twice = %1
 */
export function printGraph(outputs: Readonly<Record<string, Tensor>>): string {
  const tensors = simplify(Object.values(outputs));
  const names = new Map<Node, string>();
  const nameOf = (tensor: Tensor): string => {
    const name = names.get(tensor.node) as string;
    return tensor.node.outputs.length > 1 ? `${name}.${tensor.index}` : name;
  };
  const lines = nodesOf(tensors).map((node) => {
    const name = isInput(node) ? node.name : `%${names.size}`;
    names.set(node, name);
    const types = node.outputs.map(describeType).join(", ");
    if (isInput(node)) return `${name}: ${types} = input`;
    if (isConstant(node)) return `${name}: ${types} = ${constantText(node.data)}`;
    const attributes = Object.entries(node.attributes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return `${name}: ${types} = ${node.operator}(${[...node.inputs.map(nameOf), ...attributes].join(", ")})`;
  });
  const results = Object.keys(outputs).map((name, at) => `return ${name} = ${nameOf(tensors[at] as Tensor)}`);
  return [...lines, ...results].join("\n");
}

function constantText(data: ArrayLike<number> | ArrayLike<bigint>): string {
  const shown = Array.from({ length: Math.min(4, data.length) }, (_, at) => String(data[at]));
  return `constant ${shown.join(" ")}${data.length > 4 ? ` … (${data.length} values)` : ""}`;
}
