/** How much memory a graph needs while it runs. */
import { elementCount, isConstant, isInput, type DataType, type Node, type Tensor } from "./tensor.ts";

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
