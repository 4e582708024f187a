/** A generated world: lands of invented facts, one corpus of passages, and fair questions for every split. */
import { createRng, type Rng } from "limbeck-base/base/rng";
import { demonstrate } from "../demonstrators.ts";
import { information, readReply } from "../episode.ts";
import type { Question } from "../load.ts";
import { matchesAnswer } from "../normalise.ts";
import { bm25Retriever, passageContents, type LocalRetriever, type Passage } from "../retriever.ts";
import { createLands, type Land } from "./graph.ts";
import { drawQuestions, passageId } from "./query.ts";
import { writePassage } from "./sentences.ts";
import { researchWords } from "./words.ts";

export interface WorldSize {
  /** People in the land of each split; everything else grows with them. */
  readonly people: Readonly<Record<string, number>>;
  /** Questions of each hop count, for each split; fewer when the land is too small for so many. */
  readonly questionsPerHop: Readonly<Record<string, number>>;
}

/** From a corpus that fits on a page to one of about ten thousand passages. */
export const worldSizes = {
  tiny: { people: { train: 24, valid: 12, test: 12 }, questionsPerHop: { train: 25, valid: 10, test: 10 } },
  small: { people: { train: 120, valid: 40, test: 40 }, questionsPerHop: { train: 250, valid: 50, test: 50 } },
  large: { people: { train: 1500, valid: 250, test: 250 }, questionsPerHop: { train: 2500, valid: 250, test: 250 } },
} as const satisfies Record<string, WorldSize>;

export interface ResearchWorld {
  readonly lands: readonly Land[];
  readonly retriever: LocalRetriever;
  /** Hop counts take turns, so that any run of questions is mixed. */
  readonly questions: Readonly<Record<string, readonly Question[]>>;
}

/** The preset's turns and passages: every question can be answered within them. */
const TURNS = 4;
const TOPK = 3;

export function createResearchWorld(seed: number, size: WorldSize, hops: readonly number[]): ResearchWorld {
  const rng = createRng(seed).split("research");
  const lands = createLands(size.people, rng);
  const retriever = bm25Retriever(writeCorpus(lands, rng.split("text")));
  const solves = (question: string, answer: string): boolean => expertSolves(retriever, question, answer);
  const questions = Object.fromEntries(
    lands.map((land) => {
      const count = size.questionsPerHop[land.split] ?? 0;
      const kinds = hops.map((hop) =>
        drawQuestions({ land, hops: hop, count, solves }, rng.split(`${land.split} ${hop}`)),
      );
      return [land.split, takeTurns(kinds)];
    }),
  );
  return { lands, retriever, questions };
}

function writeCorpus(lands: readonly Land[], rng: Rng): Passage[] {
  return lands.flatMap(({ entities }) =>
    entities.flatMap((entity) =>
      researchWords()
        .facets.filter((facet) => facet.kind === entity.kind)
        .map((facet) => ({
          id: passageId(entity.name, facet.id),
          contents: passageContents(entity.name, writePassage(facet, entity, rng)),
        })),
    ),
  );
}

/** Plays the expert against the retriever, as an episode would. */
function expertSolves(retriever: LocalRetriever, question: string, answer: string): boolean {
  const demonstration = demonstrate(question);
  let seen: { action: string | undefined; observation: string } = { action: undefined, observation: question };
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const action = demonstration.next(seen);
    const { block } = readReply(action);
    if (block?.kind !== "search") return block !== undefined && matchesAnswer(block.text, [answer]);
    seen = { action, observation: information(retriever.find(block.text, TOPK)) };
  }
  return false;
}

function takeTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}
