import { operatorContract } from "../operator.contract.ts";

// [1 2] = [1 3]: yes, no.
operatorContract("equal", [
  {
    inputs: [
      { dtype: "int64", shape: [2], values: [1, 2] },
      { dtype: "int64", shape: [2], values: [1, 3] },
    ],
    outputs: [[1, 0]],
  },
]);
