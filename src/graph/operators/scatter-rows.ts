/**
 * Adds rows into a table by index; the same row may be named several times. The gradient of the rows is gathered.
 * Written as element by element: the runtime's operator for rows, `ScatterND`, gives rows to its threads without a lock, so that
 * additions to a row that is named twice are lost, other ones in each run. That for elements has one thread, and adds in their order.
 */
import type { Operator } from "../operator.ts";
import { elementCount, sameShape, type Tensor } from "../tensor.ts";

export const scatterRows: Operator = {
  infer: ([table, indices, updates]) => {
    if (table?.dtype !== "float32" || updates?.dtype !== "float32") return "table and updates must be float32";
    if (indices?.dtype !== "int64" || indices.shape.at(-1) !== 1)
      return "the indices must be int64 with a last axis of 1";
    const wanted = [...indices.shape.slice(0, -1), ...table.shape.slice(1)];
    return sameShape(updates.shape, wanted) ? [table] : `the updates must have the shape [${wanted.join(", ")}]`;
  },
  lower: ({ inputs, ops }) => {
    const [table, indices, updates] = inputs as [Tensor, Tensor, Tensor];
    const [rows, named] = [table.shape[0] as number, elementCount(indices.shape)];
    const width = elementCount(table.shape.slice(1));
    const places = ops.expand(ops.reshape(indices, [named, 1]), [named, width]);
    const added = ops.reshape(updates, [named, width]);
    return [ops.reshape(ops.scatterElements(places, added, rows, 0, ops.reshape(table, [rows, width])), table.shape)];
  },
  gradient: ({ inputs, gradients, ops }) => {
    const [, indices] = inputs;
    const [change] = gradients;
    if (indices === undefined || change === undefined) return [];
    return [change, undefined, ops.gather(change, ops.reshape(indices, indices.shape.slice(0, -1)))];
  },
  cases: [
    {
      inputs: [
        { shape: [4, 3], dtype: "float32" },
        { shape: [5, 1], dtype: "int64", range: [0, 4] },
        { shape: [5, 3], dtype: "float32" },
      ],
    },
  ],
};
