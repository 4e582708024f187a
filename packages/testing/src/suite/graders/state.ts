/** What the world itself answers when it is asked about its state: a transcript can claim anything. */
import { option } from "limbeck-base/base/option";
import { scored } from "limbeck-base/trajectory/score";
import { defineGrader, type GraderTools } from "../grader.ts";
import { hasMatch, patternFault } from "./pattern.ts";

export const queriesOption = option.list(
  [],
  {
    kind: "table",
    fields: {
      ask: { kind: "text", meaning: "an action that looks and changes nothing" },
      holds: { kind: "text", meaning: "a pattern that what it shows must have" },
    },
  },
  "what is asked, each of a copy of the world, and what has to come",
  1,
);

interface Query {
  readonly ask: string;
  readonly holds: string;
}

export function queryFault(grader: string, queries: readonly Query[]): string | undefined {
  if (queries.length === 0) return `the grader ${grader} needs \`queries\``;
  return queries.map(({ holds }) => patternFault(holds)).find((fault) => fault !== undefined);
}

/** The first query that comes out otherwise, in words; undefined where all hold. */
export async function holdsIn(queries: readonly Query[], probe: GraderTools["probe"]): Promise<string | undefined> {
  for (const { ask, holds } of queries) if (!hasMatch(holds, await probe(ask))) return `${ask}: not ${holds}`;
  return undefined;
}

export const state = defineGrader({
  id: "state",
  meaning: "Whether the world as it was left answers queries as it should; it takes no answer.",
  options: { queries: queriesOption },
  check: (_, { queries }) => queryFault("state", queries),
  grade: async (_, { queries }, { probe }) => {
    const why = await holdsIn(queries, probe);
    return why === undefined ? { score: scored(1) } : { score: scored(0), why };
  },
});
