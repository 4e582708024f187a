/** Rows as the protocol's datums: the client shifts, and every loss input is as long as the input. */
import { pack } from "./packed.ts";
import type { Datum, PackedDatum, WireCandidates, WireTensor } from "./wire.ts";

/** Loss inputs of a row, aligned with its tokens; position 0 has no prediction and is left out. */
export interface LossInputs {
  readonly weights?: ArrayLike<number>;
  readonly logprobs?: ArrayLike<number>;
  readonly advantages?: ArrayLike<number>;
}

/**
 * The row's first `length` tokens; at least 2.
 *
 * @example
 * const { model_input, loss_fn_inputs } = datumOf(Int32Array.of(5, 6, 7), 3, { weights: [0, 0, 1] });
 * console.log(model_input.chunks[0]?.tokens, loss_fn_inputs["weights"]?.data); // [ 5, 6 ] [ 0, 1 ]
 */
export function datumOf(ids: Int32Array, length: number, inputs: LossInputs, candidates?: WireCandidates): Datum {
  const tokens = Array.from(ids.subarray(0, length));
  const rest = Object.entries(inputs).map(([name, values]: [string, ArrayLike<number>]) => [
    name,
    floats(Array.from({ length: length - 1 }, (_, at) => values[at + 1] as number)),
  ]);
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens: tokens.slice(0, -1) }] },
    loss_fn_inputs: {
      target_tokens: { data: tokens.slice(1), dtype: "int64", shape: [length - 1] },
      ...(Object.fromEntries(rest) as Record<string, WireTensor>),
    },
    ...(candidates === undefined ? {} : { limbeck: candidates }),
  };
}

function floats(data: readonly number[]): WireTensor {
  return { data, dtype: "float32", shape: [data.length] };
}

/** The same datum in a quarter of the bytes, none of which need to be read as digits. */
export function packedDatum({ model_input, loss_fn_inputs, limbeck }: Datum): PackedDatum {
  const inputs = Object.entries(loss_fn_inputs).map(([name, { data, dtype }]) => [
    name,
    pack(dtype === "int64" ? Int32Array.from(data) : Float32Array.from(data)),
  ]);
  const tokens = pack(Int32Array.from(model_input.chunks.flatMap((chunk) => chunk.tokens)));
  return { limbeck: { tokens, ...(Object.fromEntries(inputs) as Record<string, string>), ...limbeck } };
}

/** Tokens that one datum makes the server compute. */
export function tokensOf({ model_input }: Datum): number {
  return model_input.chunks.reduce((total, { tokens }) => total + tokens.length, 0);
}

/** How many tokens of a row must be sent so that everything asked for is predicted; 0 where nothing is asked. */
export function neededTokens(length: number, asked: (token: number) => boolean): number {
  for (let token = length - 1; token >= 1; token -= 1) if (asked(token)) return token + 1;
  return 0;
}
