import { operatorContract } from "../operator.contract.ts";

// [1 2; 3 4] [5; 6] = [1*5+2*6; 3*5+4*6] = [17; 39].
operatorContract("matmul", [
  {
    inputs: [
      { dtype: "float32", shape: [2, 2], values: [1, 2, 3, 4] },
      { dtype: "float32", shape: [2, 1], values: [5, 6] },
    ],
    outputs: [[17, 39]],
  },
  {
    inputs: [
      { dtype: "float32", shape: [2, 1, 2], values: [1, 2, 3, 4] },
      { dtype: "float32", shape: [2, 1], values: [5, 6] },
    ],
    outputs: [[17, 39]],
  },
]);
