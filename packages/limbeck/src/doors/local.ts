/** Local: a language model in this process that samples, scores and learns, its files, and the graphs it is made of. */

// Models
export { bundledModel } from "limbeck-policy/policy/local/bundled-model";
export { createModel, wrapModel, type OpenModelOptions } from "limbeck-policy/policy/local/open-model";
export { readLlama2c } from "limbeck-policy/policy/local/llama2c";
export type { ModelConfig } from "limbeck-policy/policy/local/model-config";
export { sample } from "limbeck-policy/policy/sample.operation";
export { score } from "limbeck-policy/policy/score.operation";

// Tokenizers
export { createTokenizer, type Tokenizer } from "limbeck-policy/policy/local/tokenizer";
export { loadTokenizer } from "limbeck-policy/policy/local/load-tokenizer";
export { requireTokenizer } from "limbeck-policy/policy/local/open-model";
export { trainBytePair } from "limbeck-policy/policy/local/byte-pair";
export { readLlama2cTokenizer } from "limbeck-policy/policy/local/llama2c";

// Adapters and heads
export { createAdapter, mergeAdapter } from "limbeck-policy/policy/local/lora";
export { readAdapter, saveAdapter } from "limbeck-policy/policy/local/adapter-files";
export { headShapes } from "limbeck-policy/policy/local/heads";

// Graphs
export { compile } from "limbeck-policy/graph/program";
export { ops } from "limbeck-policy/graph/build";
export { input, constant, scalar, type Tensor } from "limbeck-policy/graph/tensor";
export { gradientsOf } from "limbeck-policy/graph/gradient";
export { printGraph } from "limbeck-policy/graph/print";
export { toOnnx } from "limbeck-policy/graph/onnx";
