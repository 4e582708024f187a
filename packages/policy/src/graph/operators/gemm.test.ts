import { operatorContract } from "../operator.contract.ts";

// A = [1 2; 3 4]: A^T [5; 6] = [1*5+3*6; 2*5+4*6] = [23; 34]; A [5 6]^T = [17; 39].
operatorContract("gemm", [
  {
    inputs: [
      { dtype: "float32", shape: [2, 2], values: [1, 2, 3, 4] },
      { dtype: "float32", shape: [2, 1], values: [5, 6] },
    ],
    attributes: { transA: 1, transB: 0 },
    outputs: [[23, 34]],
  },
  {
    inputs: [
      { dtype: "float32", shape: [2, 2], values: [1, 2, 3, 4] },
      { dtype: "float32", shape: [1, 2], values: [5, 6] },
    ],
    attributes: { transA: 0, transB: 1 },
    outputs: [[17, 39]],
  },
]);
