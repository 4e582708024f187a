/** Common-subexpression removal. Dead nodes vanish by themselves: only what the outputs reach is ever visited. */
import { nodesOf } from "./order.ts";
import { contentKey, isConstant, isInput, type Node, type Tensor } from "./tensor.ts";

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
