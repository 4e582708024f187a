import { operatorContract } from "../operator.contract.ts";

// Logits log 3 * [1, 0]: probabilities 3/4 and 1/4; log 0.75 = -0.28768, log 0.25 = -1.38629.
operatorContract("pickLinear", [
  {
    inputs: [
      { dtype: "float32", shape: [2, 1], values: [1.0986123, 1.0986123] },
      { dtype: "float32", shape: [2, 1], values: [1, 0] },
      { dtype: "int64", shape: [2, 1], values: [0, 1] },
    ],
    outputs: [
      [-0.28768, -1.38629],
      [-0.28768, -1.38629, -0.28768, -1.38629],
    ],
  },
]);
