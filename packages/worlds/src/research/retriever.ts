/** The contract of a retriever, and the one that runs in this process. */
import { EngineError } from "limbeck-base/base/errors";
import { type Bm25Options, buildBm25 } from "limbeck-base/base/bm25";
import { words } from "./normalise.ts";

export interface Passage {
  /** Unique in its corpus. */
  readonly id: string;
  /** What the agent reads: the title in quotes, a line break, the text. */
  readonly contents: string;
}

export interface Retriever {
  /** The best passages, best first, at most `topk`. Rejects when it cannot answer; an empty list is an answer. */
  retrieve(query: string, topk: number, options?: { readonly signal?: AbortSignal }): Promise<readonly Passage[]>;
}

export interface LocalRetriever extends Retriever {
  readonly passages: readonly Passage[];
  /** The same without a promise. */
  find(query: string, topk: number): Passage[];
}

/** The form in which Search-R1's corpora keep a passage. */
export function passageContents(title: string, text: string): string {
  return `"${title}"\n${text}`;
}

/**
 * BM25 over the words of each passage, title included.
 *
 * @example
 * const passages = [{ id: "emma", contents: "A novel by Jane Austen." }, { id: "oslo", contents: "A city in Norway." }];
 * console.log(bm25Retriever(passages).find("Austen novel", 1).map(({ id }) => id)); // [ "emma" ]
 */
export function bm25Retriever(passages: readonly Passage[], options: Bm25Options = {}): LocalRetriever {
  const ids = new Set<string>();
  for (const { id } of passages) {
    if (ids.has(id)) {
      throw new EngineError("duplicate-id", `The corpus holds the passage id "${id}" twice. Ids must be unique.`, {
        details: { id },
      });
    }
    ids.add(id);
  }
  const index = buildBm25(
    passages.map((passage) => words(passage.contents)),
    options,
  );
  const find = (query: string, topk: number): Passage[] =>
    index.search(words(query), topk).flatMap(({ document }) => passages[document] ?? []);
  return { passages, find, retrieve: (query, topk) => Promise.resolve(find(query, topk)) };
}
