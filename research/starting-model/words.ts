/** The tokenizer of the bundled model: byte-level pairs of our own trainer, and a chat template of few tokens. */
import { trainBytePair } from "limbeck/local";
import type { TokenizerFiles } from "../../packages/policy/src/policy/local/tokenizer.ts";
import type { Lesson } from "./lesson.ts";

export const VOCABULARY_SIZE = 1_024;

const SPECIALS = ["<|system|>", "<|user|>", "<|agent|>", "<|end|>"];

/** A message is a mark and its text; an answer ends with its own mark. Nothing else costs a token. */
const CHAT_TEMPLATE =
  "{%- for message in messages -%}" +
  "{%- if message['role'] == 'assistant' -%}{{ '<|agent|>' + message['content'] + '<|end|>' }}" +
  "{%- elif message['role'] == 'system' -%}{{ '<|system|>' + message['content'] }}" +
  "{%- else -%}{{ '<|user|>' + message['content'] }}{%- endif -%}" +
  "{%- endfor -%}" +
  "{%- if add_generation_prompt -%}{{ '<|agent|>' }}{%- endif -%}\n";

export function trainWords(lessons: Iterable<Lesson>, vocabularySize = VOCABULARY_SIZE): TokenizerFiles {
  const files = trainBytePair(textsOf(lessons), { vocabularySize, specials: SPECIALS });
  return { ...files, chatTemplate: CHAT_TEMPLATE };
}

function* textsOf(lessons: Iterable<Lesson>): Iterable<string> {
  for (const { decisions } of lessons) {
    for (const { message, action } of decisions) yield* [message, action];
  }
}
