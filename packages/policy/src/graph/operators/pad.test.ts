import { operatorContract } from "../operator.contract.ts";

// One zero before and two after each row.
operatorContract("pad", [
  {
    inputs: [{ dtype: "float32", shape: [2, 1], values: [1, 2] }],
    attributes: { axis: 1, before: 1, after: 2 },
    outputs: [[0, 1, 0, 0, 0, 2, 0, 0]],
  },
]);
