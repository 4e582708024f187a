/** Building graphs: `ops` has one function per operator, and the few that combine them. */
import { EngineError } from "limbeck-base/base/errors";
import { ALONG_AXIS, ARITHMETIC, OVER_AXES, PAIRED, UNARY, type Builders } from "./operator.ts";
import { operators, type OperatorId } from "./operators/index.ts";
import { describeType, outputsOf, sameShape, scalar, type Attributes, type Shape, type Tensor } from "./tensor.ts";

/** Applies an operator. The error names the operator, the shapes it was given and what is wrong with them. */
export function apply(operator: OperatorId, inputs: readonly Tensor[], attributes: Attributes = {}): Tensor[] {
  const inferred = operators[operator].infer(inputs, attributes);
  if (typeof inferred === "string") {
    const given = inputs.map(describeType).join(", ");
    throw new EngineError("graph-shape", `${operator}(${given}): ${inferred}.`, {
      details: { operator, inputs: inputs.map(describeType), attributes },
    });
  }
  const outputs = inferred.map(({ shape, dtype }) => ({ shape, dtype }));
  return outputsOf({ operator, inputs, attributes, outputs });
}

function one(operator: OperatorId, inputs: readonly Tensor[], attributes: Attributes = {}): Tensor {
  return apply(operator, inputs, attributes)[0] as Tensor;
}

function sumTo(value: Tensor, shape: Shape): Tensor {
  if (sameShape(value.shape, shape)) return value;
  const lead = value.shape.length - shape.length;
  const axes = [...value.shape.keys()].filter(
    (axis) => axis < lead || (shape[axis - lead] === 1 && value.shape[axis] !== 1),
  );
  return ops.reshape(axes.length === 0 ? value : ops.reduceSum(value, axes), shape);
}

/** The same builder for each of some operators. */
function each<Id extends OperatorId, Build>(ids: readonly Id[], build: (id: Id) => Build): Record<Id, Build> {
  return Object.fromEntries(ids.map((id) => [id, build(id)])) as Record<Id, Build>;
}

export const ops: Builders = {
  ...each(UNARY, (id) => (value: Tensor) => one(id, [value])),
  ...each([...ARITHMETIC, ...PAIRED], (id) => (left: Tensor, right: Tensor) => one(id, [left, right])),
  ...each(OVER_AXES, (id) => (value: Tensor, axes: readonly number[]) => one(id, [value], { axes })),
  ...each(ALONG_AXIS, (id) => (value: Tensor, axis: number) => one(id, [value], { axis })),
  gemm: (left, right, { transLeft = false, transRight = false } = {}) =>
    one("gemm", [left, right], { transA: transLeft ? 1 : 0, transB: transRight ? 1 : 0 }),
  quantisedLinear: (value, codes, scales, bits) => one("quantisedLinear", [value, codes, scales], { bits }),
  transpose: (value, order) => one("transpose", [value], { perm: order }),
  reshape: (value, shape) => (sameShape(value.shape, shape) ? value : one("reshape", [value], { shape })),
  expand: (value, shape) => (sameShape(value.shape, shape) ? value : one("expand", [value], { shape })),
  concat: (values, axis) => one("concat", values, { axis }),
  split: (value, sizes, axis) => apply("split", [value], { sizes, axis }),
  slice: (value, axis, start, end) => one("slice", [value], { axis, start, end }),
  pad: (value, axis, before, after) => one("pad", [value], { axis, before, after }),
  scatterRows: (indices, updates, rows) => {
    const zeros = ops.expand(scalar(0), [rows, ...updates.shape.slice(indices.shape.length)]);
    return one("scatterRows", [zeros, ops.reshape(indices, [...indices.shape, 1]), updates]);
  },
  gatherElements: (value, indices, axis) => one("gatherElements", [value, indices], { axis }),
  scatterElements: (indices, updates, size, axis, onto) => {
    const shape = indices.shape.map((old, at) => (at === axis ? size : old));
    return one("scatterElements", [onto ?? ops.expand(scalar(0), shape), indices, updates], { axis });
  },
  where: (condition, yes, no) => one("where", [condition, yes, no]),
  cast: (value, dtype) => one("cast", [value], { to: dtype }),
  rmsNorm: (value, scale, epsilon) => one("rmsNorm", [value, scale], { epsilon }),
  rotary: (value, positions, cosine, sine) => one("rotary", [value, positions, cosine, sine]),
  attend: (shared, own) => {
    const parts = own === undefined ? [shared] : [shared, own];
    const limits = parts.flatMap((part) => part.limits ?? []);
    const limited = parts.map((part) => (part.limits === undefined ? 0 : 1));
    return one("attend", [...parts.flatMap((part) => [part.scores, part.values]), ...limits], { limited });
  },
  pickLinear: (hidden, weight, indices) => one("pickLinear", [hidden, weight, indices]),
  topK: (value, count) => apply("topK", [value], { count }) as [Tensor, Tensor],
  sumTo,
};
