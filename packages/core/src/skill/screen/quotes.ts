/** What a text has from the observations of its evidence: whole runs of words, and the instructions among them. */
import { isFunctionWord } from "limbeck-recorder/selection/words";
import { plainText, plainWords } from "./plain-text.ts";

const RUN_WORDS = 8;

/** The first run of so many words that also stands in an observation and was not asked for. */
export function firstQuote(
  texts: readonly string[],
  observations: readonly string[],
  goals: readonly string[],
): string | undefined {
  if (observations.length === 0) return undefined;
  const runs = new Set(texts.flatMap(runsOf));
  if (runs.size === 0) return undefined;
  for (const goal of goals) for (const run of runsOf(goal)) runs.delete(run);
  const seen = observations.map((text) => ` ${plainWords(plainText(asOneWord(text))).join(" ")} `);
  return [...runs].find((run) => seen.some((text) => text.includes(` ${run} `)));
}

function runsOf(text: string): string[] {
  const words = plainWords(plainText(asOneWord(text)));
  return words.slice(RUN_WORDS - 1).map((_, at) => words.slice(at, at + RUN_WORDS).join(" "));
}

/** A path is one word, however many folders it names: opening a listed file repeats no sentence. */
function asOneWord(text: string): string {
  return text.replaceAll(/(?<!\S)(?!\w+:\/\/)[^\s/\\]*[/\\]\S*/g, (path) => path.replaceAll(/[^\p{L}\p{N}]+/gu, ""));
}

const LEAST_SHARED = 2;
const SHARED = 0.8;

/**
 * The first deed that carries out what a hostile sentence, or the one after it, asks for: nearly all of its words
 * stand there, and the goal does not have them all.
 */
export function firstObeyed(
  deeds: readonly string[],
  observations: readonly string[],
  goals: readonly string[],
  isHostile: (text: string) => boolean,
): string | undefined {
  const asked = new Set(goals.flatMap(tellingWords));
  const wanted = deeds
    .map((deed) => ({ deed, words: tellingWords(deed) }))
    .filter(({ words }) => words.length >= LEAST_SHARED && !words.every((word) => asked.has(word)));
  if (wanted.length === 0) return undefined;
  for (const observation of new Set(observations)) {
    const sentences = observation.split(/(?<=[.!?])\s|\n/);
    for (const [at, sentence] of sentences.entries()) {
      const said = new Set(tellingWords(`${sentence} ${sentences[at + 1] ?? ""}`));
      const done = wanted.find(({ words }) => words.filter((word) => said.has(word)).length >= SHARED * words.length);
      if (done !== undefined && isHostile(sentence)) return done.deed;
    }
  }
  return undefined;
}

/** Different words that say something, in plain letters. */
export function tellingWords(text: string): string[] {
  return [...new Set(plainWords(plainText(text)))].filter((word) => !isFunctionWord(word) && !/^\d+$/.test(word));
}
