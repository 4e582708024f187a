import { operatorContract } from "../operator.contract.ts";

// Of [1 3 2] the first two are 3 (at 1) and 2 (at 2); of [5 4 5] both fives, the one at 0 before the one at 2.
operatorContract("topK", [
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 3, 2, 5, 4, 5] }],
    attributes: { count: 2 },
    outputs: [
      [3, 2, 5, 5],
      [1, 2, 0, 2],
    ],
  },
]);
