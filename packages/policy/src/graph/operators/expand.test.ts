import { operatorContract } from "../operator.contract.ts";

// A column of two, three times.
operatorContract("expand", [
  {
    inputs: [{ dtype: "float32", shape: [2, 1], values: [1, 2] }],
    attributes: { shape: [2, 3] },
    outputs: [[1, 1, 1, 2, 2, 2]],
  },
]);
