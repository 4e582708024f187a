/** Graph: write a computation once over symbolic tensors, differentiate it, and run it through ONNX Runtime. */
export { ops } from "./build.ts";
export { gradients, gradientsOf, type Pullback } from "./gradient.ts";
export { toOnnx, type OnnxModel } from "./onnx.ts";
export { printGraph } from "./print.ts";
export { compile, type Program, type ProgramOptions } from "./program.ts";
export {
  constant,
  input,
  integers,
  scalar,
  type DataType,
  type Shape,
  type Tensor,
  type TensorData,
} from "./tensor.ts";
