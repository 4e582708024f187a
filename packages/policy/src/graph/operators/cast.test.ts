import { operatorContract } from "../operator.contract.ts";

// Whole numbers as floats, floats as truth values.
operatorContract("cast", [
  {
    inputs: [{ dtype: "int64", shape: [2], values: [3, -1] }],
    attributes: { to: "float32" },
    outputs: [[3, -1]],
  },
  {
    inputs: [{ dtype: "float32", shape: [2], values: [0, 2] }],
    attributes: { to: "bool" },
    outputs: [[0, 1]],
  },
]);
