/** Local: a language model in this process that samples, scores and learns, its files, and the graphs it is made of. */

// Models
export { bundledModel } from "../policy/local/bundled-model.ts";
export { createModel, wrapModel, type OpenModelOptions } from "../policy/local/open-model.ts";
export { readLlama2c } from "../policy/local/llama2c.ts";
export type { ModelConfig } from "../policy/local/model-config.ts";
export { sample } from "../policy/sample.operation.ts";
export { score } from "../policy/score.operation.ts";

// Tokenizers
export { createTokenizer, type Tokenizer } from "../policy/local/tokenizer.ts";
export { loadTokenizer } from "../policy/local/load-tokenizer.ts";
export { requireTokenizer } from "../policy/local/open-model.ts";
export { trainBytePair } from "../policy/local/byte-pair.ts";
export { readLlama2cTokenizer } from "../policy/local/llama2c.ts";

// Adapters and heads
export { createAdapter, mergeAdapter } from "../policy/local/lora.ts";
export { readAdapter, saveAdapter } from "../policy/local/adapter-files.ts";
export { headShapes } from "../policy/local/heads.ts";

// Graphs
export { compile } from "../graph/program.ts";
export { ops } from "../graph/build.ts";
export { input, constant, scalar, type Tensor } from "../graph/tensor.ts";
export { gradientsOf } from "../graph/gradient.ts";
export { printGraph } from "../graph/print.ts";
export { toOnnx } from "../graph/onnx.ts";
