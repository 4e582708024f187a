/**
 * Text in the place of advice that advises nothing. Without lessons on it the model learns that any text there means good
 * play, and a placebo helps it. The placebos and fillers that experiments use are written elsewhere, in other words.
 */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";

const SUBJECTS = [
  "A violin",
  "Our neighbour",
  "The orchestra",
  "My uncle",
  "The library",
  "Every comet",
  "This poem",
  "The mayor",
  "An owl",
  "The football team",
  "Some painters",
  "The oldest letter",
  "Her garden",
  "The parliament",
  "One astronomer",
  "The market",
  "A lighthouse",
  "The kitchen",
  "The room",
  "A mug",
  "The fridge",
  "An apple",
  "The desk",
  "A microwave",
] as const;

const VERBS = [
  "is known for",
  "has nothing to do with",
  "reminds me of",
  "was once famous for",
  "looks better without",
  "came before",
  "will never be about",
  "belongs to the story of",
  "sounds like",
  "was painted with",
] as const;

const OBJECTS = [
  "a quiet afternoon",
  "two small islands",
  "the price of salt",
  "good manners",
  "an empty theatre",
  "the colour blue",
  "spring flowers",
  "long division",
  "a distant war",
  "chess",
  "the second chapter",
  "ripe plums",
  "other kitchens",
  "old cupboards",
  "the last summer",
  "a lamp in a novel",
] as const;

const SAYINGS = [
  "No advice.",
  "no",
  "n/a",
  "-",
  "...",
  "Nothing is known.",
  "There is no skill for this.",
  "To be written.",
  "Good luck.",
  "Empty.",
  "I have no opinion.",
  "This page is left blank.",
] as const;

const SMALL_WORDS = [
  "the",
  "a",
  "in",
  "on",
  "of",
  "to",
  "is",
  "was",
  "for",
  "with",
  "and",
  "at",
  "has",
  "it",
  "not",
] as const;

const FILLERS = ["well", "la", "ah", "hm", "word", "text", "x", "blank", "and", "but", "of", "very", "then"] as const;

const ONSETS = [
  "b",
  "br",
  "ch",
  "d",
  "f",
  "g",
  "gl",
  "h",
  "k",
  "l",
  "m",
  "n",
  "p",
  "pr",
  "r",
  "s",
  "st",
  "t",
  "th",
  "v",
  "w",
  "",
];
const VOWELS = ["a", "e", "i", "o", "u", "ea", "oo", "ai", "ou"];
const CODAS = ["", "", "n", "r", "l", "st", "m", "ck", "t", "ve", "ng", "s", "d"];

/**
 * A saying, one word again and again, sentences about something else, or sentences of words that do not exist: of these no
 * two are alike, so that what is learnt is to look for commands, not to know some texts that hold none.
 */
export function writeIdle(rng: Rng): string {
  const draw = rng.float();
  if (draw < 0.1) return pick(SAYINGS, rng) as string;
  if (draw < 0.3) {
    const filler = rng.float() < 0.5 ? (pick(FILLERS, rng) as string) : madeUpWord(rng);
    return Array.from({ length: 1 + rng.int(60) }, () => filler).join(" ");
  }
  const write = draw < 0.6 ? sentence : madeUpSentence;
  const sentences = Array.from({ length: 1 + rng.int(9) }, () => write(rng)).join(" ");
  // A placebo may be cut at a word.
  const words = sentences.split(" ");
  return rng.float() < 0.4 ? words.slice(0, 1 + rng.int(words.length)).join(" ") : sentences;
}

function sentence(rng: Rng): string {
  return `${pick(SUBJECTS, rng)} ${pick(VERBS, rng)} ${pick(OBJECTS, rng)}.`;
}

/** Some small words of the language among made-up ones. */
function madeUpSentence(rng: Rng): string {
  const words = Array.from({ length: 3 + rng.int(7) }, () =>
    rng.float() < 0.35 ? (pick(SMALL_WORDS, rng) as string) : madeUpWord(rng),
  ).join(" ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function madeUpWord(rng: Rng): string {
  const syllables = Array.from(
    { length: 1 + rng.int(3) },
    () => `${pick(ONSETS, rng)}${pick(VOWELS, rng)}${pick(CODAS, rng)}`,
  );
  return syllables.join("");
}
