/** GGUF files as models: the same numbers, words and chats as the Hugging Face folder of the same model. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ggufBytes, type Metadata, writeGguf } from "../../../../../../test/support/gguf.ts";
import { temporaryFolders } from "../../../../../../test/support/temporary-folder.ts";
import {
  PIECE_WORDS,
  PIECES,
  sizesOf,
  tensorsOf,
  TINY,
  tinyWeights,
} from "../../../../../../test/support/tiny-gguf.ts";
import { byteLetters } from "../byte-pair.ts";
import { createChatDialect } from "../chat-dialect.ts";
import type { ModelConfig } from "../model-config.ts";
import { openModel, requireTokenizer } from "../open-model.ts";
import { loadTokenizer } from "../load-tokenizer.ts";

const folder = temporaryFolders();

async function tiny(change: { config?: ModelConfig; metadata?: Metadata } = {}): Promise<string> {
  const { config = TINY, metadata = {} } = change;
  const path = join(await folder(), "tiny.gguf");
  const words = config.form === "llama" ? PIECE_WORDS : {};
  await writeGguf(path, { ...sizesOf(config), ...words, ...metadata }, tensorsOf(config, tinyWeights(config)));
  return path;
}

const QWEN: ModelConfig = { ...TINY, form: "qwen3", tiedEmbeddings: true };
const QWEN2: ModelConfig = { ...TINY, form: "qwen2" };

describe("weights and configuration", () => {
  test.each([TINY, QWEN, QWEN2])("a file of the $form form has the configuration and every weight", async (config) => {
    const model = await openModel(await tiny({ config }), { threads: 1 });
    try {
      expect(model.config).toEqual(config);
      expect(model.ref.name).toBe("tiny");
      const weights = tinyWeights(config);
      expect(model.weights.views).toEqual(weights.views);
    } finally {
      await model.close();
    }
  });
  test("it is saved as a folder, and the folder says the same", async () => {
    const path = await tiny();
    const model = await openModel(path, { threads: 1 });
    const target = join(await folder(), "saved");
    await model.save(target);
    await model.close();
    const saved = await openModel(target, { threads: 1 });
    try {
      expect(saved.weights.flat).toEqual(model.weights.flat);
      expect(saved.stopIds).toEqual([2]);
      expect(saved.tokenizer?.encode("ab ab")).toEqual((await loadTokenizer(path)).encode("ab ab"));
    } finally {
      await saved.close();
    }
  });
});

describe("SentencePiece", () => {
  test("a text begins with a space, and one that goes on does not; what no piece covers becomes bytes", async () => {
    const tokenizer = await loadTokenizer(await tiny());
    const pieces = (ids: Int32Array): string[] => [...ids].map((id) => PIECES[id] as string);
    // " a" scores best, then "ab": " ab" is made of " a" and "b".
    expect(pieces(tokenizer.encode("ab ab"))).toEqual(["\u2581ab", "\u2581ab"]);
    expect(pieces(tokenizer.encode("ab ab", { continues: true }))).toEqual(["ab", "\u2581ab"]);
    expect(pieces(tokenizer.encode("b\n\u00e9", { wrap: true }))).toEqual([
      "<s>",
      "\u2581",
      "b",
      "<0x0A>",
      "<0xC3>",
      "<0xA9>",
    ]);
    expect(pieces(tokenizer.encode("a</s>b", { specials: "token" }))).toEqual(["\u2581a", "</s>", "\u2581", "b"]);
    expect(pieces(tokenizer.encode("a</s>", { continues: true })).join("")).toBe(
      "a</s>".replace("</s>", "<0x3C><0x2F><0x73><0x3E>"),
    );
    expect(tokenizer.decode(tokenizer.encode("ab \u00e9\na"))).toBe("ab \u00e9\na");
  });
  test("the space can be switched off", async () => {
    const tokenizer = await loadTokenizer(await tiny({ metadata: { "tokenizer.ggml.add_space_prefix": false } }));
    expect([...tokenizer.encode("ab")]).toEqual([PIECES.indexOf("ab")]);
  });
  test("a chat grows token by token: its parts are the tokens of the whole", async () => {
    const model = await openModel(await tiny(), { threads: 1 });
    try {
      const tokenizer = requireTokenizer(model);
      const dialect = await createChatDialect(tokenizer);
      const grown = [...dialect.opening("a"), ...(dialect.reply?.("ab a") ?? []), ...dialect.turn("b")];
      const whole = model.chat?.encodePrompt([
        { role: "user", content: "a" },
        { role: "assistant", content: "ab a" },
        { role: "user", content: "b" },
      ]);
      expect(grown).toEqual([...(whole ?? [])]);
      expect(model.stopIds).toEqual([2]);
    } finally {
      await model.close();
    }
  });
});

describe("byte pairs", () => {
  const letters = byteLetters();
  const words = (pre: string, more: Metadata = {}): Metadata => ({
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": pre,
    "tokenizer.ggml.tokens": ["<|end|>", ...letters, "ab", "12", "123"],
    "tokenizer.ggml.token_type": Int32Array.from([3, ...letters.map(() => 1), 1, 1, 1]),
    "tokenizer.ggml.merges": ["a b", "1 2", "12 3"],
    "tokenizer.ggml.eos_token_id": 0,
    ...more,
  });
  const encode = async (pre: string, text: string, more: Metadata = {}): Promise<string[]> => {
    const path = join(await folder(), "words.gguf");
    await writeFile(path, ggufBytes(words(pre, more), []));
    const tokenizer = await loadTokenizer(path);
    const names = ["<|end|>", ...letters, "ab", "12", "123"];
    const ids = tokenizer.encode(text, { wrap: true });
    expect(tokenizer.decode(ids, { specials: "drop" })).toBe(text);
    return [...ids].map((id) => names[id] as string);
  };
  test("words are cut by the rule that the file names", async () => {
    expect(await encode("gpt-2", "ab1234")).toEqual(["ab", "123", "4"]);
    // Qwen: every digit alone. Llama 3: three digits at most together.
    expect(await encode("qwen2", "ab1234")).toEqual(["ab", "1", "2", "3", "4"]);
    expect(await encode("llama-bpe", "ab1234")).toEqual(["ab", "123", "4"]);
    expect(await encode("smollm", "ab12")).toEqual(["ab", "1", "2"]);
    expect(await encode("llama-bpe", "ab", { "tokenizer.ggml.bos_token_id": 0 })).toEqual(["<|end|>", "ab"]);
    await expect(encode("tekken", "ab")).rejects.toThrow('by the rule "tekken"; known are gpt-2, llama-bpe');
  });
});

describe("what is not as it should be", () => {
  test.each<[string, Metadata, string]>([
    [
      "unknown architecture",
      { "general.architecture": "mamba" },
      'general.architecture is "mamba"; GGUF files of llama',
    ],
    ["experts", { "llama.expert_count": 8 }, "a mixture of 8 experts"],
    ["scaled positions", { "llama.rope.scaling.type": "yarn" }, '"rope_scaling" is "yarn"'],
    ["a missing size", { "llama.block_count": { float: 0.5 } }, '"num_hidden_layers" is 0.5'],
    ["another width", { "llama.feed_forward_length": 25 }, "its metadata asks for [25, 16]"],
    ["a part of a model", { "split.count": 3 }, "one of 3 parts"],
    [
      "a foreign tokenizer",
      { "tokenizer.ggml.tokens": [...PIECES, "more"] },
      "266 tokens; the model's vocabulary is 265",
    ],
    ["an unknown tokenizer", { "tokenizer.ggml.model": "bert" }, 'its kind is "bert"'],
    ["fewer scores", { "tokenizer.ggml.scores": Float32Array.of(1) }, "scores does not fit"],
    ["an id outside", { "tokenizer.ggml.eos_token_id": 999 }, "eos_token_id is 999; it has 265 tokens"],
  ])("%s", async (_what, metadata, message) => {
    await expect(openModel(await tiny({ metadata }), { threads: 1 })).rejects.toThrow(message);
  });
  test("weights that are no numbers", async () => {
    const path = join(await folder(), "nan.gguf");
    const weights = tinyWeights(TINY);
    (weights.views["model.norm.weight"] as Float32Array)[3] = Number.NaN;
    await writeGguf(path, { ...sizesOf(TINY), ...PIECE_WORDS }, tensorsOf(TINY, weights));
    await expect(openModel(path, { threads: 1 })).rejects.toThrow('parameter "model.norm.weight" holds NaN at place 3');
  });
  test("files that are cut off, of another version, or promise more than they hold", async () => {
    const path = await tiny();
    const whole = await readFile(path);
    const refused = async (bytes: Buffer, message: string): Promise<void> => {
      await writeFile(path, bytes);
      await expect(openModel(path, { threads: 1 })).rejects.toThrow(message);
    };
    const changed = (at: number, value: number): Buffer => {
      const copy = Buffer.from(whole);
      copy.writeUInt8(value, at);
      return copy;
    };
    await refused(Buffer.from("GG"), "at byte 0 it promises 4 bytes, but only 2 bytes follow; it is cut off");
    await refused(changed(0, 0x58), 'it does not begin with "GGUF"');
    await refused(changed(4, 9), "its version is 9; versions 2 and 3");
    await refused(Buffer.concat([whole.subarray(0, 4), Buffer.of(0, 0, 0, 3), whole.subarray(8)]), "it is big-endian");
    await refused(changed(15, 0xff), "tensors, but only");
    await refused(changed(23, 0xff), "pairs of metadata, but only");
    await refused(whole.subarray(0, -64), "it is cut off");
    const tensors = tensorsOf(TINY, tinyWeights(TINY));
    const as = (kind: number): Buffer =>
      ggufBytes(
        { ...sizesOf(TINY), ...PIECE_WORDS },
        tensors.map((tensor) => ({ ...tensor, kind })),
      );
    await refused(as(39), "is quantised as MXFP4, which is not read here; readable are F32, F16, Q4_0");
    await refused(as(12), "needs a multiple of 256");
  });
});
