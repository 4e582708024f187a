import { operatorContract } from "../operator.contract.ts";

// One head of size 2 at positions 1 and 0; cos and sin of position 0 are 1 and 0, of position 1 are 0.6 and 0.8.
// [1 2] at 1: 1 * 0.6 - 2 * 0.8 = -1 and 2 * 0.6 + 1 * 0.8 = 2. [3 4] at 0 stays. The second row is the same with two heads.
operatorContract("rotary", [
  {
    inputs: [
      { dtype: "float32", shape: [1, 2, 2], values: [1, 2, 3, 4] },
      { dtype: "int64", shape: [1, 2], values: [1, 0] },
      { dtype: "float32", shape: [2, 1], values: [1, 0.6] },
      { dtype: "float32", shape: [2, 1], values: [0, 0.8] },
    ],
    outputs: [[-1, 2, 3, 4]],
  },
  {
    inputs: [
      { dtype: "float32", shape: [1, 1, 4], values: [1, 2, 3, 4] },
      { dtype: "int64", shape: [1, 1], values: [1] },
      { dtype: "float32", shape: [2, 1], values: [1, 0.6] },
      { dtype: "float32", shape: [2, 1], values: [0, 0.8] },
    ],
    // 3 * 0.6 - 4 * 0.8 = -1.4 and 4 * 0.6 + 3 * 0.8 = 4.8.
    outputs: [[-1, 2, -1.4, 4.8]],
  },
  {
    // The same two heads before the positions, and both positions of each.
    inputs: [
      { dtype: "float32", shape: [1, 2, 2, 2], values: [1, 2, 1, 2, 3, 4, 3, 4] },
      { dtype: "int64", shape: [1, 2], values: [1, 0] },
      { dtype: "float32", shape: [2, 1], values: [1, 0.6] },
      { dtype: "float32", shape: [2, 1], values: [0, 0.8] },
    ],
    outputs: [[-1, 2, 1, 2, -1.4, 4.8, 3, 4]],
  },
]);
