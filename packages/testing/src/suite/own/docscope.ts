/**
 * Long documents with one line that answers and others that hold the same words, as in DocScope. Every room is named more than
 * once, so that the right answer can be had from the wrong place.
 */
import { createRng, pick, shuffle, type Rng } from "limbeck-base/base/rng";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { SuiteInput } from "../suite.ts";
import { LEVELS } from "../graders/docscope.ts";
import type { MadeSuite } from "./made-suite.ts";

const PAGES = 6;
const LINES = 8;
const QUESTIONS = 24;
const THINGS = ["ink", "wax", "flax", "salt", "felt", "pitch", "cork", "zinc", "lime", "twine", "rope", "paint"];
const DULL = [
  "was painted in May",
  "has two windows",
  "was swept on Friday",
  "lies behind the stairs",
  "is cold in winter",
];
const FORM = "Quote the line that says it, cite it as [page:line], and write the answer behind ####.";

interface Document {
  readonly pages: readonly (readonly string[])[];
  readonly gold: { readonly page: number; readonly line: number; readonly fact: string; readonly room: string };
  readonly thing: string;
}

function drawDocument(rng: Rng): Document {
  const things = shuffle(THINGS, rng);
  const rooms = shuffle(
    Array.from({ length: 80 }, (_, at) => String(10 + at)),
    rng,
  );
  const kept = things.map((thing, at) => `The ${thing} is kept in room ${rooms[at]}.`);
  const others = things.flatMap((_, at) => [0, 1, 2].map(() => `Room ${rooms[at]} ${pick(DULL, rng)}.`));
  const lines = shuffle([...kept, ...others], rng);
  const pages = Array.from({ length: PAGES }, (_, page) => lines.slice(page * LINES, (page + 1) * LINES));
  const [thing = "", fact = ""] = [things[0], kept[0]];
  const page = pages.findIndex((one) => one.includes(fact));
  return {
    pages,
    thing,
    gold: { page: page + 1, line: (pages[page]?.indexOf(fact) ?? 0) + 1, fact, room: rooms[0] ?? "" },
  };
}

export function docScope(by: "chain" | "answer"): MadeSuite {
  const meaning =
    by === "chain"
      ? "Questions on documents of six pages: page, line, quote and answer all have to be right."
      : "The same questions, graded by the answer alone.";
  const links = by === "chain" ? LEVELS : (["answer"] as const);
  const grader = links.map((level) => ({ use: "docscope", as: level, options: { level } }));
  return {
    meaning,
    scripts: { "first-mention": firstMention },
    make: () => {
      const tasks: SuiteInput["tasks"] = Array.from({ length: QUESTIONS }, (_, at) => {
        const { pages, gold, thing } = drawDocument(createRng(`docscope ${at}`));
        const text = pages.map((lines, page) => lines.map((line, n) => `[p${page + 1}:${n + 1}] ${line}`).join("\n"));
        const lines = `p${gold.page}:${gold.line}`;
        return {
          id: `document/${at}`,
          prompt: `In which room is the ${thing} kept? ${FORM}\n\n${text.join("\n\n")}`,
          answer: { lines, fact: gold.fact, answer: gold.room },
          solution: `"${gold.fact}" [${lines}] #### ${gold.room}`,
        };
      });
      return Promise.resolve({ suite: `docscope-${by}`, meaning, grader, tasks });
    },
  };
}

/** Finds the room and quotes the first line that names it: mostly another one. */
const firstMention: Demonstrator = {
  id: "first-mention",
  summary: "Answers rightly and cites the first line that holds the answer.",
  start: ({ goal }) => ({
    next: () => {
      const thing = /is the (\w+) kept\?/.exec(goal)?.[1] ?? "";
      const room = new RegExp(`The ${thing} is kept in room (\\d+)`).exec(goal)?.[1] ?? "";
      const [, place = "", line = ""] =
        new RegExp(`^\\[(p\\d+:\\d+)\\] (.*\\b[Rr]oom ${room}\\b.*)$`, "m").exec(goal) ?? [];
      return `"${line}" [${place}] #### ${room}`;
    },
  }),
};
