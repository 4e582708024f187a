/**
 * Every type of GGUF's tensors that can be read, by the number that files have. The layouts are facts of ggml's
 * `ggml-common.h`; values are equal to the last bit to those of the Python package `gguf`.
 */
import { decodeElements, ELEMENT_BYTES, type ElementType } from "../element-type.ts";
import type { Block, PlainType } from "./block.ts";
import { IQ2_S, IQ2_XS, IQ2_XXS, IQ3_S, IQ3_XXS, IQ4_NL, IQ4_XS } from "./grid-blocks.ts";
import { Q2_K, Q3_K, Q4_K, Q5_K, Q6_K } from "./k-blocks.ts";
import { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 } from "./plain-blocks.ts";

/** Numbers that stand for themselves. */
const plain = (name: ElementType): PlainType => ({ name, values: 1, bytes: ELEMENT_BYTES[name] });

export const BLOCKS: ReadonlyMap<number, Block | PlainType> = new Map<number, Block | PlainType>([
  [0, plain("F32")],
  [1, plain("F16")],
  [2, Q4_0],
  [3, Q4_1],
  [6, Q5_0],
  [7, Q5_1],
  [8, Q8_0],
  [10, Q2_K],
  [11, Q3_K],
  [12, Q4_K],
  [13, Q5_K],
  [14, Q6_K],
  [16, IQ2_XXS],
  [17, IQ2_XS],
  [18, IQ3_XXS],
  [20, IQ4_NL],
  [21, IQ3_S],
  [22, IQ2_S],
  [23, IQ4_XS],
  [30, plain("BF16")],
]);

/** What ggml has besides, so that an error can name it. */
const OTHERS: ReadonlyMap<number, string> = new Map([
  [9, "Q8_1"],
  [15, "Q8_K"],
  [19, "IQ1_S"],
  [24, "I8"],
  [25, "I16"],
  [26, "I32"],
  [27, "I64"],
  [28, "F64"],
  [29, "IQ1_M"],
  [34, "TQ1_0"],
  [35, "TQ2_0"],
  [39, "MXFP4"],
  [40, "NVFP4"],
]);

export function typeName(kind: number): string {
  return BLOCKS.get(kind)?.name ?? OTHERS.get(kind) ?? `number ${kind}`;
}

/** The values of whole blocks in a row. `out` decides how many. */
export function dequantise(block: Block | PlainType, bytes: Uint8Array, out: Float32Array): void {
  if (block.values === 1) {
    decodeElements(block.name, bytes, out);
    return;
  }
  const { values, bytes: size, read } = block;
  for (let from = 0, to = 0; to < out.length; from += size, to += values) read(bytes, from, out, to);
}
