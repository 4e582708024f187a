import { operatorContract } from "../operator.contract.ts";

// Logits log 1, log 3: probabilities 1/4 and 3/4; log 0.75 = -0.28768, log 0.25 = -1.38629.
operatorContract("pickLogprob", [
  {
    inputs: [
      { dtype: "float32", shape: [1, 2], values: [0, Math.log(3)] },
      { dtype: "int64", shape: [1, 3], values: [1, 0, 1] },
    ],
    outputs: [
      [-0.28768, -1.38629, -0.28768],
      [-1.38629, -0.28768],
    ],
  },
]);
