/** Whether what a claim names as its proof is there and says it: a test by its file and title, or a line of a study's table. */
import { existsSync, readFileSync } from "node:fs";
import type { Claim, ProofEntry } from "../../packages/limbeck/src/cli/catalog/catalog.ts";

type Measured = Exclude<ProofEntry, string>;
type State = Claim["state"];

const PAGE = /^docs\/evidence\/(?:results\/[\w-]+|log)\.md$/;

/** Why a proof shows nothing; undefined where it does. A heading alone is none for what works. */
export function proofFault(proof: ProofEntry, root: URL, state: State = "works"): string | undefined {
  if (typeof proof !== "string") return measuredFault(proof, root, state);
  const [, file = "", name = ""] = /^(\S+): (.+)$/.exec(proof) ?? [];
  const isPage = PAGE.test(file) && state !== "works";
  if (!isPage && !file.endsWith(".test.ts")) {
    const page = state === "works" ? "the line of a study" : '"docs/evidence/results/NAME.md: HEADING"';
    return `the proof "${proof}" is neither "FILE.test.ts: TITLE" nor ${page}`;
  }
  const text = textOf(file, root);
  if (text === undefined) return `the proof "${proof}" names a file that is not there`;
  if (isPage) return sectionOf(text, name) === undefined ? `${file} has no section "${name}"` : undefined;
  return hasTest(text, name) ? undefined : `${file} has no test "${name}" that runs`;
}

/** The figure stands in the line, the interval leaves out 0 where something works, the section names the seeds, the plan is there. */
function measuredFault({ study, section, line, figure, seeds, plan }: Measured, root: URL, state: State) {
  const text = PAGE.test(study) ? textOf(study, root) : undefined;
  if (text === undefined) return `the study "${study}" is no page below docs/evidence`;
  const body = sectionOf(text, section);
  if (body === undefined) return `${study} has no section "${section}"`;
  const lines = body.split("\n").filter((one) => one.startsWith(line));
  if (lines.length !== 1) return `"${section}" of ${study} has ${lines.length} lines that begin with "${line}"`;
  if (!lines[0]?.includes(figure)) return `the line "${line}" of ${study} does not hold the figure ${figure}`;
  const [, low, high] = /\[([−-]?\d[\d.]*), ([−-]?\d[\d.]*)\]/u.exec(figure) ?? [];
  if (low === undefined || high === undefined)
    return `the figure ${figure} has no interval, as in 0.178 [0.167, 0.200]`;
  if (state === "works" && numberOf(low) * numberOf(high) <= 0) return `the interval of ${figure} holds 0`;
  if (!countsOf(body).includes(seeds)) return `"${section}" of ${study} names no ${seeds} seeds`;
  const [, page = "", heading = ""] = /^(\S+): (.+)$/.exec(plan) ?? [];
  const planned = PAGE.test(page) ? textOf(page, root) : undefined;
  return planned?.includes(heading) ? undefined : `the plan "${plan}" is not there`;
}

const numberOf = (text: string): number => Number(text.replace("−", "-"));

const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** The numbers of seeds that a text names: "five seeds", "12 paired seeds". */
function countsOf(text: string): number[] {
  return [...text.matchAll(/(\d+|[a-z]+)\s+(?:paired\s+)?seeds/giu)].map(([, count = ""]) => {
    const word = WORDS.indexOf(count.toLowerCase());
    return word < 0 ? Number(count) : word + 1;
  });
}

function textOf(file: string, root: URL): string | undefined {
  const place = new URL(file, root);
  return existsSync(place) ? readFileSync(place, "utf8") : undefined;
}

/** What stands below a heading, down to the next one that is not below it. */
function sectionOf(text: string, heading: string): string | undefined {
  const lines = text.split("\n");
  const depthOf = (line: string): number => /^(#+) /.exec(line)?.[1]?.length ?? Infinity;
  const from = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "").trim() === heading);
  if (from < 0) return undefined;
  const depth = depthOf(lines[from] ?? "");
  const end = lines.findIndex((line, at) => at > from && depthOf(line) <= depth);
  return lines.slice(from, end < 0 ? undefined : end).join("\n");
}

/** A title in quotes that opens the arguments of `test`, `test.each(…)` and the like, but not of one that is left out or in a comment. */
function hasTest(text: string, title: string): boolean {
  const code = withoutComments(text);
  if (/\bdescribe\.(?:skip|todo)\b/.test(code)) return false;
  // The formatter may put a long title on a line of its own.
  const plain = code.replaceAll(/\(\s+(?=["`])/g, "(");
  return ['"', "`"].some((quote) =>
    plain
      .split(`(${quote}${title}${quote}`)
      .slice(0, -1)
      .some((before) => /(?:\b(?:test|it)(?:\.\w+)*|[)`])$/.test(before) && !/\.(?:skip|todo|fails)$/.test(before)),
  );
}

/** Whole lines of comments go, and blocks; what stands in a string stays, as a formatter breaks no string over lines. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*[^]*?\*\/[ \t]*$/gm, "").replaceAll(/^\s*\/\/.*$/gm, "");
}
