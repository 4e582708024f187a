/** Choosing skills by meaning: vectors of the skills' goals beside the words, from any model that makes vectors of sentences. */
import { withoutPlaces } from "./fit-shape.ts";
import type { OfferedSkill } from "./offered-skill.ts";
import { createSelector, type Choice, type Question } from "./select.ts";

/** A model of sentences; `openSentenceModel` opens one. */
export interface Embedder {
  /** The same for the same weights: what was proven with one model is not proven with another. */
  readonly id: string;
  /** One vector for each text, in their order. */
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}

/** What chose: the rules of words, of this version, and the model of meanings where there is one. */
export const WORDS_SELECTOR = "words-1";
export function selectorId(embedder?: Pick<Embedder, "id">): string {
  return embedder === undefined ? WORDS_SELECTOR : `${WORDS_SELECTOR}+${embedder.id}`;
}

/** Least cosine; chosen on `research/retrieval/tuning.json`. */
export const NEAR_THRESHOLD = 0.35;

export interface AnySelector {
  readonly id: string;
  readonly size: number;
  select(question: Question): Promise<Choice>;
}

/** Chooses by words, and by meanings where a model is given. */
export async function openSelector(entries: readonly OfferedSkill[], embedder?: Embedder): Promise<AnySelector> {
  const id = selectorId(embedder);
  if (embedder === undefined) {
    const { size, select } = createSelector(entries);
    return { id, size, select: async (question) => select(question) };
  }
  const vectors = await vectorsOf(entries, embedder);
  const { size, select } = createSelector(entries, { vectors, nearThreshold: NEAR_THRESHOLD });
  return {
    id,
    size,
    select: async (question) => {
      const [vector = []] = await embedder.embed([question.goal]);
      return select({ ...question, vector });
    },
  };
}

/** The mean of the vectors of a skill's name and goals. Advice for every task, or for a single decision, is not chosen by its goal's meaning. */
async function vectorsOf(entries: readonly OfferedSkill[], embedder: Embedder): Promise<number[][]> {
  const texts = entries.map(({ level, name, when }) =>
    level === "task" && when.goals.length > 0 ? [name.replaceAll("-", " "), ...when.goals.map(asSentence)] : [],
  );
  const made = await embedder.embed(texts.flat());
  let at = 0;
  return texts.map((own) => {
    const vectors = made.slice(at, (at += own.length));
    return Array.from(vectors[0] ?? [], (_, place) => vectors.reduce((sum, vector) => sum + (vector[place] ?? 0), 0));
  });
}

/** What stands in a place is not known yet. */
function asSentence(goal: string): string {
  return withoutPlaces(goal.replaceAll(/\{\d+\}/g, " something "))
    .replaceAll(/\s+/g, " ")
    .trim();
}
