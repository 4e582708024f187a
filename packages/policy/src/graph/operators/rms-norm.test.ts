import { operatorContract } from "../operator.contract.ts";

// [3 4]: mean square 12.5, plus 0 gives r = 1/sqrt(12.5) = 0.28284; [3 4] r [1 2] = [0.84853, 2.26274].
operatorContract("rmsNorm", [
  {
    inputs: [
      { dtype: "float32", shape: [1, 2], values: [3, 4] },
      { dtype: "float32", shape: [2], values: [1, 2] },
    ],
    attributes: { epsilon: 0 },
    outputs: [[0.84853, 2.26274], [0.28284]],
  },
]);
