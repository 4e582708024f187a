/** Elements and rows by index. */
import { axisOf, floats, indices, over, overTwo, withSize } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { elementCount, sameShape, scalar, type Tensor } from "../tensor.ts";

export const indexing = {
  /** Rows of a table by index. Rows used several times collect the sum of their gradients. */
  gather: {
    infer: ([table, indices]) => {
      if (table === undefined || table.shape.length === 0) return "the table needs at least one axis";
      if (indices?.dtype !== "int64") return "the indices must be int64";
      return [{ shape: [...indices.shape, ...table.shape.slice(1)], dtype: table.dtype }];
    },
    onnx: () => ({ type: "Gather", attributes: { axis: 0 } }),
    gradient: overTwo(({ left: table, right: indices, change, ops }) => [
      ops.scatterRows(indices, change, table.shape[0] as number),
      undefined,
    ]),
    cases: [
      { inputs: [...floats([4, 3]), ...indices([2, 3], 4)] },
      { inputs: [...floats([3, 2]), ...indices([5], 3)] },
    ],
  },
  /** One element per index along an axis. The gradient is scattered back. */
  gatherElements: {
    infer: ([value, indices], attributes) => {
      if (value?.dtype !== "float32" || indices?.dtype !== "int64")
        return "the value must be float32, the indices int64";
      const axis = axisOf(attributes, value.shape.length);
      if (typeof axis === "string") return axis;
      const alike = sameShape(withSize(value.shape, axis, 0), withSize(indices.shape, axis, 0));
      return alike ? [{ shape: indices.shape, dtype: "float32" }] : `apart from axis ${axis} both shapes must be equal`;
    },
    onnx: ({ attributes }) => ({ type: "GatherElements", attributes }),
    gradient: overTwo(({ node, left: value, right: indices, change, ops }) => {
      const axis = Number(node.attributes["axis"]);
      return [ops.scatterElements(indices, change, value.shape[axis] as number, axis), undefined];
    }),
    cases: [{ inputs: [...floats([2, 4]), ...indices([2, 3], 4)], attributes: { axis: 1 } }],
  },
  /**
   * Adds rows into a table by index; the same row may be named several times. The gradient of the rows is gathered.
   * Written as element by element: the runtime's operator for rows, `ScatterND`, gives rows to its threads without a lock, so that
   * additions to a row that is named twice are lost, other ones in each run. That for elements has one thread, and adds in their order.
   */
  scatterRows: {
    infer: ([table, places, updates]) => {
      if (table?.dtype !== "float32" || updates?.dtype !== "float32") return "table and updates must be float32";
      if (places?.dtype !== "int64" || places.shape.at(-1) !== 1)
        return "the indices must be int64 with a last axis of 1";
      const wanted = [...places.shape.slice(0, -1), ...table.shape.slice(1)];
      return sameShape(updates.shape, wanted) ? [table] : `the updates must have the shape [${wanted.join(", ")}]`;
    },
    lower: ({ inputs, ops }) => {
      const [table, places, updates] = inputs as [Tensor, Tensor, Tensor];
      const [rows, named] = [table.shape[0] as number, elementCount(places.shape)];
      const width = elementCount(table.shape.slice(1));
      const wide = ops.expand(ops.reshape(places, [named, 1]), [named, width]);
      const added = ops.reshape(updates, [named, width]);
      return [ops.reshape(ops.scatterElements(wide, added, rows, 0, ops.reshape(table, [rows, width])), table.shape)];
    },
    gradient: over(({ inputs: [, places], change, ops }) => [
      change,
      undefined,
      ops.gather(change, ops.reshape(places, places.shape.slice(0, -1))),
    ]),
    cases: [{ inputs: [...floats([4, 3]), ...indices([5, 1], 4), ...floats([5, 3])] }],
  },
  /** Adds elements into a tensor by index along an axis. The gradient of the elements is gathered. */
  scatterElements: {
    infer: ([value, places, updates], attributes) => {
      if (value?.dtype !== "float32" || updates?.dtype !== "float32") return "value and updates must be float32";
      if (places?.dtype !== "int64" || !sameShape(places.shape, updates.shape))
        return "indices (int64) and updates must have one shape";
      const axis = axisOf(attributes, value.shape.length);
      if (typeof axis === "string") return axis;
      const alike = sameShape(withSize(value.shape, axis, 0), withSize(places.shape, axis, 0));
      return alike ? [{ shape: value.shape, dtype: "float32" }] : `apart from axis ${axis} both shapes must be equal`;
    },
    onnx: ({ attributes }) => ({ type: "ScatterElements", attributes: { ...attributes, reduction: "add" } }),
    gradient: over(({ node, inputs: [, places], change, ops }) => [
      change,
      undefined,
      ops.gatherElements(change, places, Number(node.attributes["axis"])),
    ]),
    cases: [{ inputs: [...floats([2, 4]), ...indices([2, 3], 4), ...floats([2, 3])], attributes: { axis: 1 } }],
  },
  /**
   * Log-probabilities of given ids: log softmax of each row of logits at the row's indices. The second output is the whole
   * log softmax. With p the softmax and g the gradient: grad logits = onehot(indices) g - p sum(g), where the sum is over the
   * few picked ids and not over the vocabulary.
   */
  pickLogprob: {
    infer: ([logits, picked]) => {
      if (logits?.dtype !== "float32" || logits.shape.length !== 2) return "the logits must be a float32 matrix";
      if (picked?.dtype !== "int64" || picked.shape.length !== 2) return "the indices must be an int64 matrix";
      if (picked.shape[0] !== logits.shape[0]) return "logits and indices differ in rows";
      return [{ shape: picked.shape, dtype: "float32" }, logits];
    },
    lower: ({ inputs, ops }) => {
      const [logits, picked] = inputs as [Tensor, Tensor];
      const logs = ops.logSoftmax(logits, 1);
      return [ops.gatherElements(logs, picked, 1), logs];
    },
    gradient: over(({ inputs: [, picked], outputs: [, logs], change, ops }) => {
      const total = ops.neg(ops.reduceSum(change, [1]));
      const spread = ops.mul(ops.exp(logs), total);
      return [ops.scatterElements(picked, change, logs.shape[1] as number, 1, spread), undefined];
    }),
    cases: [{ inputs: [...floats([3, 4]), ...indices([3, 2], 4)] }],
  },
  /**
   * Log-probabilities of one given id a row, from what the logits are made of: log softmax(hidden weight^T) at the row's
   * index. The second output is the whole log softmax. With p the softmax, o = p - onehot(index) and g the gradient:
   *
   *   grad hidden = -g (o weight),   grad weight = o^T (-g hidden)
   *
   * so that g multiplies rows as wide as the hidden state, and not as wide as the vocabulary.
   */
  pickLinear: {
    infer: ([hidden, weight, picked]) => {
      if (hidden?.dtype !== "float32" || hidden.shape.length !== 2) return "the hidden state must be a float32 matrix";
      if (weight?.dtype !== "float32" || weight.shape.length !== 2) return "the weight must be a float32 matrix";
      if (hidden.shape[1] !== weight.shape[1]) return "hidden state and weight differ in columns";
      const [rows, size] = [hidden.shape[0] as number, weight.shape[0] as number];
      if (picked?.dtype !== "int64" || picked.shape.join() !== `${rows},1`)
        return `the indices must be int64[${rows}, 1]`;
      return [
        { shape: [rows, 1], dtype: "float32" },
        { shape: [rows, size], dtype: "float32" },
      ];
    },
    lower: ({ inputs, ops }) => {
      const [hidden, weight, picked] = inputs as [Tensor, Tensor, Tensor];
      const logs = ops.logSoftmax(ops.gemm(hidden, weight, { transRight: true }), 1);
      return [ops.gatherElements(logs, picked, 1), logs];
    },
    gradient: over(({ inputs, outputs, change, ops }) => {
      const [hidden, weight, picked] = inputs;
      const [, logs] = outputs;
      const less = ops.expand(scalar(-1), picked.shape);
      const off = ops.scatterElements(picked, less, weight.shape[0] as number, 1, ops.exp(logs));
      const back = ops.neg(change);
      return [
        ops.mul(ops.gemm(off, weight), back),
        ops.gemm(off, ops.mul(hidden, back), { transLeft: true }),
        undefined,
      ];
    }),
    cases: [{ inputs: [...floats([3, 2], [4, 2]), ...indices([3, 1], 4)] }],
  },
} as const satisfies Record<string, Operator>;
