/**
 * Text of the same length that says nothing about any task. A policy may do better merely because something stands where
 * advice stands; what a placebo does as well is not the skill's doing.
 */
import { createRng } from "limbeck-base/base/rng";

const SENTENCES: readonly string[] = [
  "The sky was grey for most of the week.",
  "Rivers in the north freeze early in winter.",
  "The old bridge was built of stone.",
  "Many birds fly south in autumn.",
  "A train passes the village at noon.",
  "The museum is closed on Mondays.",
  "Wheat grows well on flat land.",
  "The sea is calm before a storm.",
  "Most maps show north at the top.",
  "The tower has a large clock.",
  "Snow fell on the hills overnight.",
  "The harbour is older than the town.",
];

/**
 * As many tokens as the text has, or as near as whole words allow. Another seed gives other sentences.
 *
 * @example
 * const words = (text: string) => text.split(" ").length;
 * console.log(words(placeboFor("Use the microwave.", words, "task 1"))); // 3
 */
export function placeboFor(text: string, countTokens: (text: string) => number, seed: string): string {
  const wanted = countTokens(text);
  const rng = createRng(`placebo ${seed}`);
  const words: string[] = [];
  let length = 0;
  while (length < wanted) {
    const sentence = SENTENCES[rng.int(SENTENCES.length)] ?? "";
    for (const word of sentence.split(" ")) {
      const next = countTokens([...words, word].join(" "));
      if (next > wanted && next - wanted > wanted - length) return words.join(" ") || word;
      words.push(word);
      length = next;
      if (length >= wanted) break;
    }
  }
  return words.join(" ");
}
