import { operatorContract } from "../operator.contract.ts";

const LOG3 = Math.log(3);

operatorContract("attend", [
  {
    // exp(log 3) : exp(0) = 3 : 1, so weights 0.75 and 0.25; 0.75 * 4 + 0.25 * 8 = 5.
    inputs: [
      { dtype: "float32", shape: [1, 1, 2], values: [LOG3, 0] },
      { dtype: "float32", shape: [1, 2, 1], values: [4, 8] },
    ],
    attributes: { limited: [0] },
    outputs: [[5], [0.75, 0.25]],
  },
  {
    // One group, two branches of one query; one shared key with value 4, own keys with values 8 and 16.
    // Branch 1: 0.75 * 4 + 0.25 * 8 = 5; branch 2: 0.5 * 4 + 0.5 * 16 = 10.
    inputs: [
      { dtype: "float32", shape: [1, 2, 1], values: [LOG3, 1] },
      { dtype: "float32", shape: [1, 1, 1], values: [4] },
      { dtype: "float32", shape: [2, 1, 1], values: [0, 1] },
      { dtype: "float32", shape: [2, 1, 1], values: [8, 16] },
    ],
    attributes: { limited: [0, 0] },
    outputs: [
      [5, 10],
      [0.75, 0.25, 0.5, 0.5],
    ],
  },
  {
    // The same with the own key of branch 1 hidden: only the shared key is left, 4.
    inputs: [
      { dtype: "float32", shape: [1, 2, 1], values: [LOG3, 1] },
      { dtype: "float32", shape: [1, 1, 1], values: [4] },
      { dtype: "float32", shape: [2, 1, 1], values: [0, 1] },
      { dtype: "float32", shape: [2, 1, 1], values: [8, 16] },
      { dtype: "float32", shape: [2, 1, 1], values: [-64, 1e9] },
    ],
    attributes: { limited: [0, 1] },
    outputs: [
      [4, 10],
      [1, 0, 0.5, 0.5],
    ],
  },
]);
