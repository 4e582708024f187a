import { operatorContract } from "../operator.contract.ts";

operatorContract("flush", [
  {
    inputs: [{ dtype: "float32", shape: [4], values: [0.5, 0.25, 0.125, -3] }],
    attributes: { least: 0.25 },
    outputs: [[0.5, 0, 0, 0]],
  },
]);
