import { operatorContract } from "../operator.contract.ts";

// 0 * 0.5 = 0; log 3 * 3/4 = 0.82396.
operatorContract("silu", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [0, 1.0986123] }],
    outputs: [[0, 0.82396]],
  },
]);
