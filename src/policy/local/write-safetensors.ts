/** Writes safetensors files, one tensor after the other, without a second copy of all of them. */
import { open } from "node:fs/promises";
import { ELEMENT_BYTES, encodeElements, type WritableType } from "./element-type.ts";

export interface TensorToWrite {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
  readonly type: WritableType;
}

/** The file is complete and on the disk when this returns. `format: "pt"` is what transformers asks for. */
export async function writeSafetensors(
  path: string,
  tensors: readonly TensorToWrite[],
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: { format: "pt", ...metadata } };
  let end = 0;
  for (const { name, shape, data, type } of tensors) {
    const start = end;
    end += data.length * ELEMENT_BYTES[type];
    header[name] = { dtype: type, shape, data_offsets: [start, end] };
  }
  const json = Buffer.from(JSON.stringify(header));
  // Padded with spaces, so that the numbers start at a multiple of eight and can be mapped into memory as they are.
  const padded = Buffer.alloc(Math.ceil(json.length / 8) * 8, " ");
  json.copy(padded);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const file = await open(path, "w");
  try {
    await file.writeFile(Buffer.concat([length, padded]));
    for (const { data, type } of tensors) await file.writeFile(encodeElements(type, data));
    await file.sync();
  } finally {
    await file.close();
  }
}
