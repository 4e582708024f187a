/** The nodes behind a set of tensors, each after what it depends on, and graphs made anew in that order. */
import { outputsOf, type Node, type Tensor } from "./tensor.ts";

/** Topological order, by an explicit stack: a deep graph must not overflow the call stack. */
export function nodesOf(outputs: readonly Tensor[]): Node[] {
  const order: Node[] = [];
  const state = new Map<Node, "open" | "done">();
  const stack = outputs.map((output) => output.node).reverse();
  while (stack.length > 0) {
    const node = stack.at(-1) as Node;
    const seen = state.get(node);
    if (seen === undefined) {
      state.set(node, "open");
      for (let at = node.inputs.length - 1; at >= 0; at -= 1) {
        const next = (node.inputs[at] as Tensor).node;
        if (!state.has(next)) stack.push(next);
      }
      continue;
    }
    stack.pop();
    if (seen === "done") continue;
    state.set(node, "done");
    order.push(node);
  }
  return order;
}

/** The same outputs over other nodes: what the rule gives for a node, or the node itself over its new inputs. */
export function rewrite(
  outputs: readonly Tensor[],
  rule: (node: Node, inputs: readonly Tensor[]) => readonly Tensor[] | undefined,
): Tensor[] {
  const made = new Map<Node, readonly Tensor[]>();
  const moved = (tensor: Tensor): Tensor => made.get(tensor.node)?.[tensor.index] ?? tensor;
  for (const node of nodesOf(outputs)) {
    const inputs = node.inputs.map(moved);
    const isMoved = inputs.some((tensor, at) => tensor !== node.inputs[at]);
    const results = rule(node, inputs) ?? (isMoved ? outputsOf({ ...node, inputs }) : undefined);
    if (results !== undefined) made.set(node, results);
  }
  return outputs.map(moved);
}
