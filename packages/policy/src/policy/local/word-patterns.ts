/** How texts are cut into words before they become tokens: the rules of known tokenizers. */

/** How byte-pair tokenizers cut a text into words, by the names that GGUF files have for it (`tokenizer.ggml.pre`). */
export interface WordPattern {
  /** Cuts, one after the other. */
  readonly cuts: readonly string[];
  /** Letters and their accents are put together first. */
  readonly composes?: boolean;
}

const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
/** GPT-4's words; what they differ in is how many digits stand together. */
const gpt4 = (digits: string): string =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

const LLAMA3: WordPattern = { cuts: [gpt4("\\p{N}{1,3}")] };
const SINGLE_DIGITS: WordPattern = { cuts: ["\\p{N}", GPT2] };

export const WORD_PATTERNS: ReadonlyMap<string, WordPattern> = new Map([
  ["gpt-2", { cuts: [GPT2] }],
  ["llama-bpe", LLAMA3],
  ["llama3", LLAMA3],
  ["llama-v3", LLAMA3],
  ["qwen2", { cuts: [gpt4("\\p{N}")], composes: true }],
  ["smollm", SINGLE_DIGITS],
  ["starcoder", SINGLE_DIGITS],
]);

/** These do not run away: each sign of a text begins at most one of their branches. Ours cuts numbers into digits. */
export const KNOWN_PATTERNS: ReadonlySet<string> = new Set([
  "[0-9]",
  ...[...WORD_PATTERNS.values()].flatMap(({ cuts }) => cuts),
]);
