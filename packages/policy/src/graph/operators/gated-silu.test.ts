import { operatorContract } from "../operator.contract.ts";

// sigmoid(log 3) = 3/4; log 3 * 3/4 = 0.82396, times 2 is 1.64792.
operatorContract("gatedSilu", [
  {
    inputs: [
      { dtype: "float32", shape: [2], values: [0, 1.0986123] },
      { dtype: "float32", shape: [2], values: [5, 2] },
    ],
    outputs: [
      [0, 1.64792],
      [0.5, 0.75],
      [0, 0.82396],
    ],
  },
]);
