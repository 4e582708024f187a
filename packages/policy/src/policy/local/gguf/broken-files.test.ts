/**
 * Damaged files: each is refused by name or read, and none crashes, hangs, or takes much memory. LIMBECK_MUTATIONS=1000
 * tries 2,000 of them, in half a minute.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ggufBytes } from "../../../../../../test/support/gguf.ts";
import { temporaryFolders } from "../../../../../../test/support/temporary-folder.ts";
import { PIECE_WORDS, sizesOf, tensorsOf, TINY, tinyWeights } from "../../../../../../test/support/tiny-gguf.ts";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { configJson } from "../config-file.ts";
import { type ModelFolder, openModelFolder } from "../model-folder.ts";
import { parameterShapes } from "../model-config.ts";
import { createWeights } from "../weights.ts";
import { writeSafetensors } from "../safetensors.ts";
import { openGgufModel } from "./model.ts";
import { readGgufTokenizer } from "./tokenizer.ts";

const folder = temporaryFolders();
const MUTATIONS = Number(process.env["LIMBECK_MUTATIONS"] ?? 100);
/** Weights of a damaged file may be larger than those of the whole one, but not by much: its bytes bound them. */
const MOST_WEIGHTS = 2 ** 22;

/** A byte changed, a run of bytes changed, a number made huge, bytes taken out or put in, or the end cut off. */
function mutated(bytes: Buffer, header: number, rng: Rng): Buffer {
  const copy = Buffer.from(bytes);
  // Most damage hits the header: that is what a reader believes.
  const at = rng.int(rng.float() < 0.8 ? header : copy.length - 8);
  const kind = rng.int(6);
  if (kind === 0) copy[at] = rng.int(256);
  if (kind === 1) for (let step = 0; step < 8; step += 1) copy[at + step] = rng.int(256);
  if (kind === 2) copy.writeBigUInt64LE(2n ** BigInt(rng.int(64)), at);
  if (kind === 3) copy.writeUInt32LE(2 ** rng.int(32), at);
  if (kind === 4) return Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1 + rng.int(64))]);
  if (kind === 5) return copy.subarray(0, at);
  return copy;
}

/** True where it was read, false where it was refused; anything else is thrown. */
async function tried(open: () => Promise<ModelFolder | undefined>): Promise<boolean> {
  try {
    const opened = await open();
    if (opened === undefined) return true;
    try {
      const size = [...parameterShapes(opened.config).values()]
        .map((shape) => shape.reduce((product, side) => product * side, 1))
        .reduce((sum, one) => sum + one, 0);
      expect(size).toBeLessThan(MOST_WEIGHTS);
      await opened.readWeights(createWeights(opened.config));
    } finally {
      await opened.close();
    }
    return true;
  } catch (error) {
    if (error instanceof EngineError && error.code !== "internal") return false;
    throw error;
  }
}

test(`${MUTATIONS} damaged GGUF files`, async () => {
  const tensors = tensorsOf(TINY, tinyWeights(TINY));
  const whole = ggufBytes({ ...sizesOf(TINY), ...PIECE_WORDS }, tensors);
  const header = whole.length - tensors.reduce((sum, { bytes }) => sum + Math.ceil(bytes.length / 32) * 32, 0);
  const path = join(await folder(), "damaged.gguf");
  const rng = createRng("gguf");
  let refused = 0;
  for (let at = 0; at < MUTATIONS; at += 1) {
    await writeFile(path, mutated(whole, header, rng));
    const weights = await tried(() => openGgufModel(path));
    const words = await tried(async () => void (await readGgufTokenizer(path)));
    if (!weights || !words) refused += 1;
  }
  expect(refused).toBeGreaterThan(MUTATIONS / 4);
});

test(`${MUTATIONS} damaged folders of two shards`, async () => {
  const place = join(await folder(), "sharded");
  await mkdir(place);
  const weights = tinyWeights(TINY);
  const all = [...parameterShapes(TINY)].map(([name, shape]) => ({
    name,
    shape,
    data: weights.views[name] as Float32Array,
    type: "BF16" as const,
  }));
  const shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"] as const;
  await writeSafetensors(join(place, shards[0]), all.slice(0, 9));
  await writeSafetensors(join(place, shards[1]), all.slice(9));
  const map = Object.fromEntries(all.map(({ name }, at) => [name, shards[at < 9 ? 0 : 1]]));
  const texts = {
    "config.json": JSON.stringify(configJson(TINY)),
    "model.safetensors.index.json": JSON.stringify({ metadata: {}, weight_map: map }),
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(place, name), text);
  const names = [...Object.keys(texts), ...shards];
  const wholes = await Promise.all(names.map((name) => readFile(join(place, name))));
  expect(await tried(() => openModelFolder(place))).toBe(true);
  const rng = createRng("shards");
  let refused = 0;
  for (let at = 0; at < MUTATIONS; at += 1) {
    const file = rng.int(names.length);
    const [name, whole] = [names[file] as string, wholes[file] as Buffer];
    const header = name.endsWith("json") ? whole.length - 8 : 8 + Number(whole.readBigUInt64LE());
    await writeFile(join(place, name), mutated(whole, header, rng));
    if (!(await tried(() => openModelFolder(place)))) refused += 1;
    await writeFile(join(place, name), whole);
  }
  expect(refused).toBeGreaterThan(MUTATIONS / 4);
});
