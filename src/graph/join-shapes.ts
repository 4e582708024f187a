/**
 * One new shape in place of several. A transposition that moves only axes of length one leaves every number where it is and is a
 * new shape too. A decoding step of one token is full of them, and to the runtime each is a node like any other.
 */
import { ops } from "./build.ts";
import { rewrite } from "./order.ts";
import { listOf } from "./shapes.ts";
import type { Node, Tensor } from "./tensor.ts";

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
