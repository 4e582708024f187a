/**
 * Adds rows into a table by index; the same row may be named several times. The gradient of the rows is gathered.
 * Written as element by element: the runtime's operator for rows, `ScatterND`, gives rows to its threads without a lock, so that
 * additions to a row that is named twice are lost, other ones in each run. That for elements has one thread, and adds in their order.
 */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats, indices } from "../shapes.ts";
import { elementCount, sameShape, type Tensor } from "../tensor.ts";

export const scatterRows: Operator = {
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
};
