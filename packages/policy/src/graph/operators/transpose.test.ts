import { operatorContract } from "../operator.contract.ts";

// [1 2 3; 4 5 6] read down its columns.
operatorContract("transpose", [
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }],
    attributes: { perm: [1, 0] },
    outputs: [[1, 4, 2, 5, 3, 6]],
  },
]);
