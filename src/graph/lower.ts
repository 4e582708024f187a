/** Composite operators into those they stand for. Gradients are taken before, by the composite's own rule. */
import { ops } from "./build.ts";
import type { Operator } from "./operator.ts";
import { operators } from "./operators/index.ts";
import { nodesOf } from "./order.ts";
import type { Node, Tensor } from "./tensor.ts";

export function lower(outputs: readonly Tensor[]): Tensor[] {
  const lowered = new Map<Node, readonly Tensor[]>();
  const moved = (tensor: Tensor): Tensor => lowered.get(tensor.node)?.[tensor.index] ?? tensor;
  const order = nodesOf(outputs);
  const used = new Map<Node, Set<number>>(order.map((node) => [node, new Set()]));
  for (const { node, index } of [...order.flatMap(({ inputs }) => inputs), ...outputs]) used.get(node)?.add(index);
  for (const node of order) {
    const inputs = node.inputs.map(moved);
    const rule = (operators as Readonly<Record<string, Operator>>)[node.operator]?.lower;
    if (rule !== undefined)
      lowered.set(node, rule({ node, inputs, ops, uses: (output) => used.get(node)?.has(output) === true }));
    else if (inputs.some((tensor, at) => tensor !== node.inputs[at])) {
      const twin = { ...node, inputs };
      lowered.set(
        node,
        node.outputs.map((type, index) => ({ node: twin, index, shape: type.shape, dtype: type.dtype })),
      );
    }
  }
  return outputs.map(moved);
}
