/** Reverse-mode differentiation: the gradient of a graph is more of the same graph. */
import { EngineError } from "limbeck-base/base/errors";
import { ops } from "./build.ts";
import type { Operator } from "./operator.ts";
import { operators } from "./operators/index.ts";
import { nodesOf } from "./order.ts";
import { describeType, isConstant, isInput, outputsOf, sameShape, scalar, type Node, type Tensor } from "./tensor.ts";

/** An output and d(objective)/d(output); together they define what is differentiated. */
export interface Pullback {
  readonly output: Tensor;
  readonly weight: Tensor;
}

/**
 * Gradients of sum(weight * output) with respect to each tensor of `of`. A tensor that nothing depends on gets zeros.
 * Only nodes on a path from `of` to an output are differentiated.
 *
 * @example
 * import { compile, input, ops, scalar } from "limbeck/local";
 *
 * const x = input("x", "float32", [2]);
 * const [slope] = gradients([{ output: ops.mul(x, x), weight: scalar(1, [2]) }], [x]);
 * const program = await compile({ slope: slope ?? x });
 * console.log((await program.run({ x: Float32Array.of(1, 5) }))["slope"]); // Float32Array(2) [ 2, 10 ]
 * await program.close();
 */
export function gradients(pullbacks: readonly Pullback[], of: readonly Tensor[]): Tensor[] {
  for (const { output, weight } of pullbacks) {
    if (!sameShape(output.shape, weight.shape)) {
      throw new EngineError(
        "graph-shape",
        `gradients: the weight ${describeType(weight)} must be shaped like the output ${describeType(output)}.`,
      );
    }
  }
  const order = nodesOf(pullbacks.map(({ output }) => output));
  const wanted = dependents(order, of);
  const found = new Map<Node, (Tensor | undefined)[]>();
  const add = (target: Tensor, change: Tensor): void => {
    const list = found.get(target.node) ?? [];
    const before = list[target.index];
    list[target.index] = before === undefined ? change : ops.add(before, change);
    found.set(target.node, list);
  };
  for (const { output, weight } of pullbacks) if (wanted.has(output.node)) add(output, weight);
  for (const node of order.reverse()) {
    const changes = found.get(node);
    if (changes === undefined || node.inputs.length === 0) continue;
    const results = pull(node, changes);
    node.inputs.forEach((target, at) => {
      const change = results[at];
      if (change !== undefined && wanted.has(target.node)) add(target, change);
    });
  }
  return of.map((tensor) => found.get(tensor.node)?.[tensor.index] ?? ops.expand(scalar(0), tensor.shape));
}

/**
 * The gradients of a single number, such as a loss.
 *
 * @example
 * import { compile, input, ops } from "limbeck/local";
 *
 * const x = input("x", "float32", []);
 * const [slope] = gradientsOf(ops.mul(x, x), [x]);
 * const program = await compile({ slope: slope ?? x });
 * console.log((await program.run({ x: Float32Array.of(3) }))["slope"]); // Float32Array(1) [ 6 ]
 * await program.close();
 */
export function gradientsOf(loss: Tensor, of: readonly Tensor[]): Tensor[] {
  return gradients([{ output: loss, weight: scalar(1, loss.shape) }], of);
}

function pull(node: Node, changes: readonly (Tensor | undefined)[]): readonly (Tensor | undefined)[] {
  if (isConstant(node) || isInput(node)) return [];
  const rule = (operators as Readonly<Record<string, Operator>>)[node.operator]?.gradient;
  if (rule === undefined) {
    const given = node.inputs.map(describeType).join(", ");
    throw new EngineError(
      "graph-gradient",
      `${node.operator}(${given}) has no gradient; wrap its input in stopGradient.`,
    );
  }
  return rule({ node, inputs: node.inputs, outputs: outputsOf(node), gradients: changes, ops });
}

/** Float nodes that depend on one of the tensors, themselves included; a stop-gradient ends the path. */
function dependents(order: readonly Node[], of: readonly Tensor[]): Set<Node> {
  const set = new Set(of.map((tensor) => tensor.node));
  for (const node of order) {
    const float = node.outputs.some((type) => type.dtype === "float32");
    const reached = node.operator !== "stopGradient" && node.inputs.some((target) => set.has(target.node));
    if (float && reached) set.add(node);
  }
  return set;
}
