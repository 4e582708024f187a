/** A hash of a model's parameters: the files around them also hold times, and millions of numbers compare slowly one by one. */
import { createHash } from "node:crypto";
import { openModel } from "../../packages/policy/src/policy/local/open-model.ts";

export async function weightsHash(folder: string): Promise<string> {
  const model = await openModel(folder, { threads: 1 });
  try {
    const { buffer, byteOffset, byteLength } = model.weights.flat;
    return createHash("sha256")
      .update(new Uint8Array(buffer, byteOffset, byteLength))
      .digest("hex");
  } finally {
    await model.close();
  }
}
