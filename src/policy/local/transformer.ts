/** The decoder as a graph over a flat batch: every row starts at position 0 and sees only what stands before. */
import { input, ops, scalar, constant, type Tensor } from "../../graph/index.ts";
import { parameterShapes, type ModelConfig } from "./model-config.ts";

export interface Batch {
  readonly rows: number;
  readonly length: number;
}

export interface DecoderGraph {
  readonly parameters: ReadonlyMap<string, Tensor>;
  /** int64 [rows, length] */
  readonly ids: Tensor;
  /** float32 [rows * length, hidden], after the last norm */
  readonly hidden: Tensor;
  /** float32 [rows * length, vocabulary] */
  readonly logits: Tensor;
}

export function decoder(config: ModelConfig, batch: Batch): DecoderGraph {
  const parameters = new Map(
    [...parameterShapes(config)].map(([name, shape]) => [name, input(name, "float32", shape)]),
  );
  const weight = (name: string): Tensor => parameters.get(name) as Tensor;
  const ids = input("ids", "int64", [batch.rows, batch.length]);
  const rotary = rotaryTables(config, batch.length);
  const count = batch.rows * batch.length;
  let stream = ops.reshape(ops.gather(weight("model.embed_tokens.weight"), ids), [count, config.hiddenSize]);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const at = `model.layers.${layer}`;
    const normal = ops.rmsNorm(stream, weight(`${at}.input_layernorm.weight`), config.normEpsilon);
    stream = ops.add(
      stream,
      attention(config, batch, normal, (name) => weight(`${at}.self_attn.${name}.weight`), rotary),
    );
    const second = ops.rmsNorm(stream, weight(`${at}.post_attention_layernorm.weight`), config.normEpsilon);
    const gate = ops.silu(linear(second, weight(`${at}.mlp.gate_proj.weight`)));
    const up = linear(second, weight(`${at}.mlp.up_proj.weight`));
    stream = ops.add(stream, linear(ops.mul(gate, up), weight(`${at}.mlp.down_proj.weight`)));
  }
  const hidden = ops.rmsNorm(stream, weight("model.norm.weight"), config.normEpsilon);
  const head = weight(config.tiedEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight");
  return { parameters, ids, hidden, logits: linear(hidden, head) };
}

/** x W^T: weights are stored [out, in]. */
function linear(value: Tensor, weight: Tensor): Tensor {
  return ops.gemm(value, weight, { transRight: true });
}

interface Rotary {
  readonly cosine: Tensor;
  readonly sine: Tensor;
}

/** cos and sin of position / theta^(2i/d), for both halves of a head, shaped [1, length, 1, head]. */
function rotaryTables(config: ModelConfig, length: number): Rotary {
  const { headSize, ropeTheta } = config;
  const half = headSize / 2;
  const angle = (position: number, at: number): number => position * ropeTheta ** (-(2 * (at % half)) / headSize);
  const table = (fn: (x: number) => number): Tensor =>
    constant(
      Float32Array.from({ length: length * headSize }, (_, at) => fn(angle(Math.floor(at / headSize), at % headSize))),
      [1, length, 1, headSize],
    );
  return { cosine: table(Math.cos), sine: table(Math.sin) };
}

function rotate(value: Tensor, { cosine, sine }: Rotary): Tensor {
  const axis = value.shape.length - 1;
  const half = (value.shape[axis] as number) / 2;
  const [first, second] = ops.split(value, [half, half], axis) as [Tensor, Tensor];
  return ops.add(ops.mul(value, cosine), ops.mul(ops.concat([ops.neg(second), first], axis), sine));
}

function attention(
  config: ModelConfig,
  { rows, length }: Batch,
  value: Tensor,
  weight: (name: string) => Tensor,
  rotary: Rotary,
): Tensor {
  const { heads, keyValueHeads, headSize } = config;
  const shared = heads / keyValueHeads;
  const project = (name: string, count: number): Tensor =>
    ops.reshape(linear(value, weight(name)), [rows, length, count, headSize]);
  const normed = (name: string, tensor: Tensor): Tensor =>
    config.form === "qwen3" ? ops.rmsNorm(tensor, weight(name), config.normEpsilon) : tensor;
  const query = rotate(normed("q_norm", project("q_proj", heads)), rotary);
  const key = rotate(normed("k_norm", project("k_proj", keyValueHeads)), rotary);
  const values = project("v_proj", keyValueHeads);
  // Query heads that share a key head are stacked as more rows of one product.
  const queries = ops.reshape(ops.transpose(query, [0, 2, 1, 3]), [rows * keyValueHeads, shared * length, headSize]);
  const keys = ops.reshape(ops.transpose(key, [0, 2, 3, 1]), [rows * keyValueHeads, headSize, length]);
  const held = ops.reshape(ops.transpose(values, [0, 2, 1, 3]), [rows * keyValueHeads, length, headSize]);
  const scores = ops.add(ops.mul(ops.matmul(queries, keys), scalar(headSize ** -0.5)), causalMask(shared, length));
  const mixed = ops.matmul(ops.softmax(scores, 2), held);
  const joined = ops.transpose(ops.reshape(mixed, [rows, heads, length, headSize]), [0, 2, 1, 3]);
  return linear(ops.reshape(joined, [rows * length, heads * headSize]), weight("o_proj"));
}

function causalMask(shared: number, length: number): Tensor {
  const values = new Float32Array(shared * length * length);
  for (let row = 0; row < shared * length; row += 1) {
    for (let column = (row % length) + 1; column < length; column += 1) values[row * length + column] = -1e9;
  }
  return constant(values, [1, shared * length, length]);
}
