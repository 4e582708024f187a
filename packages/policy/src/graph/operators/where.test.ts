import { operatorContract } from "../operator.contract.ts";

// Yes, no, yes: [1 0 3].
operatorContract("where", [
  {
    inputs: [
      { dtype: "bool", shape: [3], values: [1, 0, 1] },
      { dtype: "float32", shape: [3], values: [1, 2, 3] },
      { dtype: "float32", shape: [], values: [0] },
    ],
    outputs: [[1, 0, 3]],
  },
]);
