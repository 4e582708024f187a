/** Every form as a GGUF file and as a Hugging Face folder of the same random weights: they say the same. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ggufBytes, writeGguf, type Metadata } from "../../../../../../test/support/gguf.ts";
import { temporaryFolders } from "../../../../../../test/support/temporary-folder.ts";
import { sizesOf, tensorsOf, TINY } from "../../../../../../test/support/tiny-gguf.ts";
import { tinyForms, tinyWeights } from "../../../../../../test/support/tiny-model.ts";
import { createRng } from "limbeck-base/base/rng";
import type { ModelConfig } from "../model-config.ts";
import { openModel, wrapModel } from "../open-model.ts";
import { createWeights, type Weights } from "../weights.ts";

const folder = temporaryFolders();

function weightsOf(config: ModelConfig): Weights {
  const weights = createWeights(config);
  for (const [name, values] of Object.entries(tinyWeights(config))) weights.views[name]?.set(values);
  return weights;
}

function rowsOf({ vocabularySize }: ModelConfig): { readonly ids: Int32Array }[] {
  const rng = createRng("rows");
  return [70, 33].map((length) => ({ ids: Int32Array.from({ length }, () => rng.int(vocabularySize)) }));
}

async function logprobs(path: string, config: ModelConfig): Promise<readonly [ModelConfig, number[]]> {
  const model = await openModel(path, { threads: 1 });
  try {
    const scored = await model.score(rowsOf(config));
    return [model.config, scored.flatMap(({ logprob = [] }) => [...logprob])];
  } finally {
    await model.close();
  }
}

/** What files of the form can say: windows of Mistral and Qwen stand in none, and Gemma 3's divisor is the head size. */
const FORMS: Readonly<Record<string, ModelConfig>> = {
  qwen3: tinyForms.qwen3,
  qwen2: without(tinyForms.qwen2, "window"),
  llama: tinyForms.llama,
  llama3: tinyForms.llama3,
  mistral: without(tinyForms.mistral, "window"),
  gemma3: { ...tinyForms.gemma3, window: { size: 10, layers: [0, 1] }, queryScalar: tinyForms.gemma3.headSize },
  phi3: tinyForms.phi3,
};

const ALLOWED: Partial<Record<ModelConfig["form"], number>> = { gemma3: 1e-4, phi3: 1e-5 };

function without(config: ModelConfig, key: keyof ModelConfig): ModelConfig {
  const { [key]: _left, ...rest } = config;
  return rest as ModelConfig;
}

describe("the same model as a file and as a folder", () => {
  test.each(Object.entries(FORMS))("%s", async (name, config) => {
    const root = await folder();
    const weights = weightsOf(config);
    const whole = await wrapModel({ config, weights }, { threads: 1 });
    await whole.save(join(root, "folder"), { optimiser: false });
    await whole.close();
    const path = join(root, `${name}.gguf`);
    await writeGguf(path, sizesOf(config), tensorsOf(config, weights));
    const [there, expected] = await logprobs(join(root, "folder"), config);
    const [here, found] = await logprobs(path, config);
    expect(rounded({ ...here, form: there.form })).toEqual(rounded(there));
    // A norm of Gemma 3 is one more in the file, which rounds its last bits; rotary factors of Phi-3 are float32 there.
    const allowed = ALLOWED[config.form] ?? 0;
    const apart = found.map((value, at) => Math.abs(value - (expected[at] as number)));
    expect(Math.max(...apart)).toBeLessThanOrEqual(allowed);
    expect(found).toHaveLength(103);
  });
});

/** Factors of a file are float32. */
function rounded({ ropeScaling, ...config }: ModelConfig): unknown {
  const numbers = JSON.stringify(ropeScaling ?? null, (_key, value: unknown) =>
    typeof value === "number" ? value.toPrecision(5) : value,
  );
  return { ...config, ropeScaling: numbers };
}

describe("a model in parts", () => {
  const parts = async (change: (at: number) => Metadata = () => ({})): Promise<string[]> => {
    const root = await folder();
    const tensors = tensorsOf(TINY, weightsOf(TINY));
    const third = Math.ceil(tensors.length / 3);
    const paths = [1, 2, 3].map((number) => join(root, `tiny-0000${number}-of-00003.gguf`));
    for (const [at, path] of paths.entries()) {
      const split = { "split.no": at, "split.count": 3, "split.tensors.count": tensors.length };
      const metadata = { ...(at === 0 ? sizesOf(TINY) : {}), ...split, ...change(at) };
      await writeFile(path, ggufBytes(metadata, tensors.slice(at * third, (at + 1) * third)));
    }
    return paths;
  };
  test("is opened by its first part, with every weight", async () => {
    const [first = ""] = await parts();
    const model = await openModel(first, { threads: 1 });
    expect(model.weights.flat).toEqual(weightsOf(TINY).flat);
    expect(model.ref.name).toBe("tiny");
    await model.close();
  });
  test.each<[string, (paths: readonly string[]) => Promise<string>, string]>([
    ["another than the first", async ([, second = ""]) => second, "give the first, "],
    [
      "a part that is not there",
      async ([first = "", , third = ""]) => {
        await (await import("node:fs/promises")).rm(third);
        return first;
      },
      "tiny-00003-of-00003.gguf is not there. Fetch it too.",
    ],
    [
      "a name that says nothing",
      async ([first = ""]) => {
        const other = first.replace("-00001-of-00003", "");
        await (await import("node:fs/promises")).copyFile(first, other);
        return other;
      },
      "one of 3 parts of a model; their names must end in -00001-of-00003.gguf",
    ],
    [
      "the same part twice",
      async ([first = "", second = "", third = ""]) => {
        await (await import("node:fs/promises")).copyFile(second, third);
        return first;
      },
      "says that it is part 2 of 3; by its name it is part 3 of 3",
    ],
  ])("%s is refused", async (_what, spoil, message) => {
    await expect(openModel(await spoil(await parts()), { threads: 1 })).rejects.toThrow(message);
  });
  test("fewer tensors than promised are refused", async () => {
    const [first = ""] = await parts(() => ({ "split.tensors.count": 99 }));
    await expect(openModel(first, { threads: 1 })).rejects.toThrow(
      "promises 99 tensors in all its parts; they hold 21",
    );
  });
});

test("rotary factors that no rule gives, and a Gemma 3 without its window, are refused by name", async () => {
  const root = await folder();
  const path = join(root, "odd.gguf");
  const { llama3 } = tinyForms;
  const changed = { ...sizesOf(llama3), "llama.rope.scaling.original_context_length": 1_000_000 };
  await writeGguf(path, changed, tensorsOf(llama3, weightsOf(llama3)));
  await expect(openModel(path, { threads: 1 })).rejects.toThrow("that is not Llama 3.1's");
  const { "gemma3.attention.sliding_window": _window, ...rest } = sizesOf(tinyForms.gemma3);
  await writeGguf(path, rest, tensorsOf(tinyForms.gemma3, weightsOf(tinyForms.gemma3)));
  await expect(openModel(path, { threads: 1 })).rejects.toThrow("lacks gemma3.attention.sliding_window");
});
