/**
 * Trains a byte-level byte-pair tokenizer and writes it as `tokenizer.json`: every text is a sequence of bytes, the most
 * frequent neighbouring pair becomes a token, and so on until the vocabulary is full. Deterministic: among equally
 * frequent pairs the one of older tokens wins.
 *
 * Pairs: Neural Machine Translation of Rare Words with Subword Units, arXiv 1508.07909; bytes and the word pattern: GPT-2.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { TokenizerFiles } from "./tokenizer.ts";
import { CHATML_TEMPLATE } from "./chat-template.ts";
import { specialTokens } from "./sentence-piece.ts";

export interface BytePairOptions {
  /** Bytes, special tokens and merges together. Fewer come out when the text has no more pairs. */
  readonly vocabularySize: number;
  /** Take the first ids. The last of them ends a turn. */
  readonly specials?: readonly string[];
  /** Every digit is its own token; numbers are then read the same way wherever they stand. Default: no. */
  readonly singleDigits?: boolean;
  /** A pair seen less often than this is not worth a token. Default: 2. */
  readonly leastCount?: number;
}

const DEFAULT_SPECIALS: readonly string[] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/** The words of GPT-2: contractions, letters, digits or other signs with the space before them, then other space. */
const WORDS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
const BYTES = 256;
/** Two tokens make one number as a key; vocabularies stay below this. */
const KEY_BASE = 2 ** 24;

/**
 * A byte-pair tokenizer learnt from texts.
 *
 * @example
 * import { createTokenizer } from "limbeck/local";
 *
 * const files = trainBytePair(["go to the desk", "go to the shelf"], { vocabularySize: 260, leastCount: 1 });
 * const tokenizer = await createTokenizer(files);
 * console.log(tokenizer.size, tokenizer.decode(tokenizer.encode("go to the lamp"))); // 260 go to the lamp
 */
export function trainBytePair(texts: Iterable<string>, options: BytePairOptions): TokenizerFiles {
  const { vocabularySize, specials = DEFAULT_SPECIALS, singleDigits = false, leastCount = 2 } = options;
  const least = specials.length + BYTES;
  if (!(Number.isInteger(vocabularySize) && vocabularySize >= least && vocabularySize < KEY_BASE)) {
    throw new EngineError(
      "bad-option",
      `vocabularySize is ${vocabularySize}; it must be a whole number from ${least} (256 bytes and ${specials.length} special tokens) to ${KEY_BASE - 1}.`,
    );
  }
  const words = countWords(texts, singleDigits);
  const merges = mergePairs(words, vocabularySize - least, leastCount);
  return bytePairFiles({ merges, specials, singleDigits });
}

/** How often each word occurs, as the finished tokenizer will cut the text. */
export function countWords(texts: Iterable<string>, singleDigits: boolean): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const part of singleDigits ? text.split(/([0-9])/) : [text]) {
      for (const [word] of part.matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

interface Word {
  tokens: number[];
  readonly count: number;
}

/** Tokens 0 to 255 are bytes; merge n makes token 256 + n. */
function mergePairs(counts: ReadonlyMap<string, number>, most: number, leastCount: number): [number, number][] {
  const encoder = new TextEncoder();
  const words: Word[] = [...counts].map(([text, count]) => ({ tokens: [...encoder.encode(text)], count }));
  const pairs = createPairs(words);
  const merges: [number, number][] = [];
  while (merges.length < most) {
    const best = pairs.take();
    if (best === undefined || best.count < leastCount) break;
    const [left, right] = [Math.floor(best.key / KEY_BASE), best.key % KEY_BASE];
    pairs.merge(best.key, left, right, BYTES + merges.length);
    merges.push([left, right]);
  }
  return merges;
}

function createPairs(words: readonly Word[]) {
  const counts = new Map<number, number>();
  /** Words that hold a pair. Only they are looked at when it is merged, so that a merge costs what it changes. */
  const holders = new Map<number, Set<number>>();
  const heap = createPairHeap();
  const touch = (at: number, sign: 1 | -1, changed?: Set<number>): void => {
    const { tokens, count } = words[at] as Word;
    for (let place = 1; place < tokens.length; place += 1) {
      const key = (tokens[place - 1] as number) * KEY_BASE + (tokens[place] as number);
      counts.set(key, (counts.get(key) ?? 0) + sign * count);
      if (sign < 0) continue;
      changed?.add(key);
      const known = holders.get(key);
      if (known === undefined) holders.set(key, new Set([at]));
      else known.add(at);
    }
  };
  words.forEach((_, at) => touch(at, 1));
  for (const [key, count] of counts) heap.push(key, count);
  return {
    /** The most frequent pair. */
    take: (): { readonly key: number; readonly count: number } | undefined => {
      for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
        const count = counts.get(top.key) ?? 0;
        // Counts fall without notice; a stale entry goes back with its true count.
        if (count === top.count) return top;
        if (count > 0) heap.push(top.key, count);
      }
      return undefined;
    },
    merge: (key: number, left: number, right: number, made: number): void => {
      const changed = new Set<number>();
      for (const at of holders.get(key) ?? []) {
        touch(at, -1);
        (words[at] as Word).tokens = joined((words[at] as Word).tokens, left, right, made);
        touch(at, 1, changed);
      }
      counts.delete(key);
      holders.delete(key);
      for (const other of changed) heap.push(other, counts.get(other) ?? 0);
    },
  };
}

function joined(tokens: readonly number[], left: number, right: number, made: number): number[] {
  const result: number[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at] === left && tokens[at + 1] === right) {
      result.push(made);
      at += 1;
    } else result.push(tokens[at] as number);
  }
  return result;
}

// `tokenizer.json` and `tokenizer_config.json` of a byte-level byte-pair tokenizer.

interface BytePairParts {
  /** Pairs of tokens in the order of their making: 0 to 255 are bytes, 256 + n is what merge n made. */
  readonly merges: readonly (readonly [number, number])[];
  readonly specials: readonly string[];
  readonly singleDigits: boolean;
}

function bytePairFiles({ merges, specials, singleDigits }: BytePairParts): TokenizerFiles {
  const texts = byteLetters();
  const lines = merges.map(([left, right]) => {
    texts.push(`${texts[left]}${texts[right]}`);
    return `${texts[left]} ${texts[right]}`;
  });
  // Special tokens stand in the vocabulary too: other readers number added tokens by their own count otherwise.
  const vocabulary = [...specials, ...texts].map((token, id) => [token, id] as const);
  const bytes = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
  const digits = { type: "Split", pattern: { Regex: "[0-9]" }, behavior: "Isolated", invert: false };
  const last = specials.at(-1);
  return {
    tokenizer: {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: specialTokens(specials),
      normalizer: null,
      pre_tokenizer: singleDigits ? { type: "Sequence", pretokenizers: [digits, bytes] } : bytes,
      post_processor: null,
      decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
        vocab: Object.fromEntries(vocabulary),
        merges: lines,
      },
    },
    config: {
      tokenizer_class: "PreTrainedTokenizerFast",
      clean_up_tokenization_spaces: false,
      ...(last === undefined ? {} : { eos_token: last, pad_token: specials[0] }),
      ...(specials.includes("<|im_start|>") && specials.includes("<|im_end|>")
        ? { chat_template: CHATML_TEMPLATE }
        : {}),
    },
  };
}

/** The letter of each byte: printable ones stand for themselves, the others follow from U+0100 on, as in GPT-2. */
export function byteLetters(): string[] {
  const printable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
}

// A heap of token pairs: the most frequent first, the smaller key among equals.

function createPairHeap() {
  const keys: number[] = [];
  const counts: number[] = [];
  const before = (left: number, right: number): boolean => {
    const [a, b] = [counts[left] as number, counts[right] as number];
    return a !== b ? a > b : (keys[left] as number) < (keys[right] as number);
  };
  const swap = (left: number, right: number): void => {
    [keys[left], keys[right]] = [keys[right] as number, keys[left] as number];
    [counts[left], counts[right]] = [counts[right] as number, counts[left] as number];
  };
  const sink = (): void => {
    for (let at = 0; ;) {
      const [left, right] = [at * 2 + 1, at * 2 + 2];
      let first = at;
      if (left < keys.length && before(left, first)) first = left;
      if (right < keys.length && before(right, first)) first = right;
      if (first === at) return;
      swap(at, first);
      at = first;
    }
  };
  return {
    push: (key: number, count: number): void => {
      let at = keys.push(key) - 1;
      counts.push(count);
      while (at > 0 && before(at, (at - 1) >> 1)) {
        swap(at, (at - 1) >> 1);
        at = (at - 1) >> 1;
      }
    },
    pop: (): { readonly key: number; readonly count: number } | undefined => {
      if (keys.length === 0) return undefined;
      swap(0, keys.length - 1);
      const top = { key: keys.pop() as number, count: counts.pop() as number };
      sink();
      return top;
    },
  };
}
