import { operatorContract } from "../operator.contract.ts";

// The order of the elements stays.
operatorContract("reshape", [
  {
    inputs: [{ dtype: "float32", shape: [2, 2], values: [1, 2, 3, 4] }],
    attributes: { shape: [4] },
    outputs: [[1, 2, 3, 4]],
  },
]);
