/** Whether what a claim names as its proof is there: a test by its file and title, or a section of a study. */
import { existsSync, readFileSync } from "node:fs";

const STUDY = /^docs\/evidence\/results\/[\w-]+\.md$/;

/** Why a proof names nothing; undefined where it is there. */
export function proofFault(proof: string, root: URL): string | undefined {
  const [, file = "", name = ""] = /^(\S+): (.+)$/.exec(proof) ?? [];
  const study = STUDY.test(file);
  if (!study && !file.endsWith(".test.ts"))
    return `the proof "${proof}" is neither "FILE.test.ts: TITLE" nor "docs/evidence/results/NAME.md: HEADING"`;
  const place = new URL(file, root);
  if (!existsSync(place)) return `the proof "${proof}" names a file that is not there`;
  const text = readFileSync(place, "utf8");
  if (study) return hasSection(text, name) ? undefined : `${file} has no section "${name}"`;
  return hasTest(text, name) ? undefined : `${file} has no test "${name}" that runs`;
}

function hasSection(text: string, heading: string): boolean {
  return text.split("\n").some((line) => /^#+ /.test(line) && line.replace(/^#+ /, "").trim() === heading);
}

/** A title in quotes that opens the arguments of `test`, `test.each(…)` and the like, but not of one that is left out. */
function hasTest(text: string, title: string): boolean {
  // The formatter may put a long title on a line of its own.
  const plain = text.replaceAll(/\(\s+(?=["`])/g, "(");
  return ['"', "`"].some((quote) =>
    plain
      .split(`(${quote}${title}${quote}`)
      .slice(0, -1)
      .some((before) => !/\.(skip|todo)$/.test(before)),
  );
}
