/** `tokenizer.json` and `tokenizer_config.json` of a byte-level byte-pair tokenizer. */
import { CHATML_TEMPLATE } from "./chat-template.ts";
import { specialTokens } from "./special-tokens.ts";
import type { TokenizerFiles } from "./tokenizer.ts";

export interface BytePairParts {
  /** Pairs of tokens in the order of their making: 0 to 255 are bytes, 256 + n is what merge n made. */
  readonly merges: readonly (readonly [number, number])[];
  readonly specials: readonly string[];
  readonly singleDigits: boolean;
}

export function bytePairFiles({ merges, specials, singleDigits }: BytePairParts): TokenizerFiles {
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
