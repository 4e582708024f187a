/** The nodes behind a set of tensors, each after what it depends on. */
import type { Node, Tensor } from "./tensor.ts";

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
