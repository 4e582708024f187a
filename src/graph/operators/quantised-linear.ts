/**
 * x W^T where W is kept in few bits: a block of columns shares a scale, and a code c of b bits stands for (c - 2^(b-1)) scale.
 * Codes are [out, blocks, bytes of a block], the first of two codes of four bits in the lower half of its byte; scales
 * are [out * blocks]. Where W is part of the graph the runtime packs it, and rounds x to eight bits by block as it multiplies.
 * A gradient would need W itself: whoever wants one has it, and uses `gemm`.
 */
import type { Operator } from "../operator.ts";
import type { TensorType } from "../tensor.ts";

/** The runtime may round x to eight bits: without that, its kernels are three to a hundred times slower. */
const ROUNDED_INPUT = 4;

export const quantisedLinear: Operator = {
  infer: ([value, codes, scales], attributes) => {
    const bits = Number(attributes["bits"]);
    if (bits !== 4 && bits !== 8) return `the bits are ${bits}; 4 or 8 can be computed`;
    if (value?.dtype !== "float32" || value.shape.length !== 2) return "the value must be a float32 matrix";
    if (codes?.dtype !== "uint8" || codes.shape.length !== 3) return "the codes must be uint8[out, blocks, bytes]";
    const [out, blocks, size] = codes.shape as [number, number, number];
    if (scales?.dtype !== "float32" || scales.shape.join() !== String(out * blocks))
      return `the scales must be float32[${out * blocks}]`;
    const columns = (blocks * size * 8) / bits;
    if (value.shape[1] !== columns) return `the value has ${value.shape[1]} columns, the codes have ${columns}`;
    return [{ shape: [value.shape[0] as number, out], dtype: "float32" }];
  },
  onnx: ({ inputs: [value, codes], attributes }) => {
    const [out, blocks] = (codes as TensorType).shape as [number, number, number];
    const columns = value?.shape[1] as number;
    const bits = Number(attributes["bits"]);
    const size = { K: columns, N: out, bits, block_size: columns / blocks };
    return {
      type: "MatMulNBits",
      domain: "com.microsoft",
      attributes: { ...size, accuracy_level: ROUNDED_INPUT },
    };
  },
  cases: [],
};
