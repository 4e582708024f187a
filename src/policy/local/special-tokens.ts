/** Special tokens as `tokenizer.json` lists them. */
import type { Json } from "../../trajectory/index.ts";

/** Their ids are their places. */
export function specialTokens(contents: readonly string[]): Json[] {
  return contents.map((content, id) => addedToken(id, content, true));
}

export function addedToken(id: number, content: string, special: boolean): Json {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special };
}

interface Edge {
  readonly token: string;
  readonly id: number;
}

/** The part of `tokenizer.json` that puts tokens around a text; null where there are none. */
export function wrapper(begin: Edge | undefined, end: Edge | undefined): Json {
  const edges = [begin, end].filter((edge) => edge !== undefined);
  if (edges.length === 0) return null;
  const around = (edge: Edge | undefined): Json[] =>
    edge === undefined ? [] : [{ SpecialToken: { id: edge.token, type_id: 0 } }];
  return {
    type: "TemplateProcessing",
    single: [...around(begin), { Sequence: { id: "A", type_id: 0 } }, ...around(end)],
    pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 1 } }],
    special_tokens: Object.fromEntries(
      edges.map(({ token, id }) => [token, { id: token, ids: [id], tokens: [token] }]),
    ),
  };
}
