/** The lines that an answer rests on: [12], [3-5], [report.md:7]. In a chain the right answer counts with the right lines alone. */
import { option } from "limbeck-base/base/option";
import { scored } from "limbeck-base/trajectory/score";
import { defineGrader, finalText } from "../grader.ts";

const CITED = /\[([^[\]\n]{1,200})\]/g;
const PLACE = /^(?:([^,]{1,150}):)?\s*(\d{1,7})(?:\s*[-–]\s*(\d{1,7}))?$/;
const LONGEST_RANGE = 10_000;

export const evidence = defineGrader({
  id: "evidence",
  meaning: "Whether the answer cites the lines that it rests on, in brackets: [12], [3-5], [report.md:7].",
  options: {
    lines: option.list([], { kind: "text" }, 'the right lines: "12", "3-5", "report.md:7"', 1),
    spare: option.count(0, "how many lines too many are forgiven", 0),
    by: option.choice("all", ["all", "f1"], "all: every line is cited, 1 or 0; f1: how well the two sets agree"),
  },
  check: (_, { lines }) => {
    const wrong = lines.find((one) => placesIn(one) === undefined);
    if (wrong !== undefined) return `the line ${JSON.stringify(wrong)} is neither "12" nor "3-5" nor "NAME:7"`;
    return lines.length === 0 ? "the grader evidence needs `lines`" : undefined;
  },
  grade: ({ trajectory }, { lines, spare, by }) => {
    const gold = new Set(lines.flatMap((one) => placesIn(one) ?? []));
    const cited = citedIn(finalText(trajectory));
    const both = [...cited].filter((place) => gold.has(place)).length;
    const why = `${both} of ${gold.size} lines, and ${cited.size - both} others`;
    const isWhole = both === gold.size && cited.size - both <= spare;
    return { score: scored(by === "all" ? Number(isWhole) : (2 * both) / (gold.size + cited.size)), why };
  },
});

export function citedIn(text: string): ReadonlySet<string> {
  const found = [...text.matchAll(CITED)].flatMap(([, inside = ""]) => inside.split(/[,;]/));
  return new Set(found.flatMap((one) => placesIn(one) ?? []));
}

/** One entry for each line, with its document where it names one. */
function placesIn(text: string): readonly string[] | undefined {
  const match = PLACE.exec(text.trim());
  if (match === null) return undefined;
  const [, name = "", from, to = from] = match;
  const count = Number(to) - Number(from) + 1;
  if (count < 1 || count > LONGEST_RANGE) return undefined;
  return Array.from({ length: count }, (_, at) => `${name.trim()}:${Number(from) + at}`);
}
