import { operatorContract } from "../operator.contract.ts";

// exp of [0, log 3] is [1, 3], so [1/4, 3/4]; equal values share evenly.
operatorContract("softmax", [
  {
    inputs: [{ dtype: "float32", shape: [2, 2], values: [0, 1.0986123, 5, 5] }],
    attributes: { axis: 1 },
    outputs: [[0.25, 0.75, 0.5, 0.5]],
  },
]);
