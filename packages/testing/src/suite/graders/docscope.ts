/**
 * The way to an answer in a long document on four levels, as in DocScope: its pages, the lines on them, what they say and the
 * answer. As links of a chain only an answer that is right on every level counts.
 */
import { isObject, type Json, type JsonObject } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { scored } from "limbeck-base/trajectory/score";
import { defineGrader, finalText } from "../grader.ts";
import { citedIn } from "./evidence.ts";

export const LEVELS = ["page", "line", "fact", "answer"] as const;

export const docscope = defineGrader({
  id: "docscope",
  meaning:
    "One level of an answer that cites, quotes and answers: `answer` is {lines, fact, answer}, lines as in [page:7] without brackets.",
  options: { level: option.choice("answer", LEVELS, "page, line, fact (the line is quoted) or answer (behind ####)") },
  check: (answer) =>
    readGold(answer) === undefined ? "`answer` has to be {lines, fact, answer}, all texts" : undefined,
  grade: ({ trajectory, answer }, { level }) => {
    const gold = readGold(answer) as Gold;
    const said = finalText(trajectory);
    const cited = citedIn(said);
    const right = citedIn(`[${gold.lines}]`);
    const holds = {
      page: () => isSame(pagesOf(cited), pagesOf(right)),
      line: () => isSame(cited, right),
      fact: () => plain(said.split("####")[0] ?? "").includes(plain(gold.fact)),
      answer: () => plain(said.split("####").at(-1) ?? "") === plain(gold.answer),
    }[level];
    return { score: scored(Number(holds())) };
  },
});

interface Gold extends JsonObject {
  readonly lines: string;
  readonly fact: string;
  readonly answer: string;
}

function readGold(answer: Json | undefined): Gold | undefined {
  const isGold = isObject(answer) && ["lines", "fact", "answer"].every((name) => typeof answer[name] === "string");
  return isGold ? (answer as Gold) : undefined;
}

function pagesOf(places: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...places].map((place) => place.slice(0, place.lastIndexOf(":"))));
}

function isSame(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.size === right.size && [...left].every((one) => right.has(one));
}

const plain = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/g, " ");
