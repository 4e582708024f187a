import { operatorContract } from "../operator.contract.ts";

// log 1/4 = -1.38629 and log 3/4 = -0.28768.
operatorContract("logSoftmax", [
  {
    inputs: [{ dtype: "float32", shape: [1, 2], values: [0, 1.0986123] }],
    attributes: { axis: 1 },
    outputs: [[-1.38629, -0.28768]],
  },
]);
