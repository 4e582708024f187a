/**
 * Text in the place of advice that advises nothing. Without lessons on it the model learns that any text there means good
 * play, and a placebo helps it. The placebos and fillers that experiments use are written elsewhere, in other words.
 */
import { pick, type Rng } from "../../src/base/index.ts";

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

const FILLERS = ["well", "la", "ah", "hm", "word", "text", "x", "blank"] as const;

/** Usually sentences, as many as a skill has; now and then a saying or one word again and again. */
export function writeIdle(rng: Rng): string {
  const draw = rng.float();
  if (draw < 0.15) return pick(SAYINGS, rng) as string;
  if (draw < 0.3) {
    const filler = pick(FILLERS, rng) as string;
    return Array.from({ length: 1 + rng.int(40) }, () => filler).join(" ");
  }
  const sentences = Array.from({ length: 1 + rng.int(7) }, () => sentence(rng)).join(" ");
  // A placebo may be cut at a word.
  const words = sentences.split(" ");
  return rng.float() < 0.4 ? words.slice(0, 1 + rng.int(words.length)).join(" ") : sentences;
}

function sentence(rng: Rng): string {
  return `${pick(SUBJECTS, rng)} ${pick(VERBS, rng)} ${pick(OBJECTS, rng)}.`;
}
