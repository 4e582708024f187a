/** The command lines of the pages: what a reader types. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface PageCommand {
  readonly page: string;
  /** As it is typed, without its remark. */
  readonly line: string;
  /** The words after `limbeck`; undefined for another program. */
  readonly words: readonly string[] | undefined;
}

const OURS = /^(?:npx limbeck|npm run (?:-s )?limbeck --|limbeck)(?= |$)/;

/** Of blocks marked `sh`, every line; of the others, what stands behind a dollar sign. */
export function pageCommands(root: string, page: string): PageCommand[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .flatMap(([, language, body = ""]) => (language === "sh" ? linesOf(body) : language === "" ? typedIn(body) : []))
    .map((line) => ({ page, line, words: OURS.test(line) ? wordsOf(line.replace(OURS, "")) : undefined }));
}

function typedIn(body: string): string[] {
  return [...body.matchAll(/^\$ (.+)$/gm)].map(([, line = ""]) => line);
}

/** Without remarks and without what is fed to a command; a line that goes on is one. */
function linesOf(body: string): string[] {
  return body
    .replaceAll(/ \\\n\s*/g, " ")
    .replaceAll(/^(.*<<'(\w+)')\n[\s\S]*?^\2$/gm, "$1")
    .split("\n")
    .flatMap((line) => line.split(/ && | & *$/))
    .map((line) => line.replace(/(?:^|\s+)#(?: .*)?$| (?:\||>|<) [^"']*$/, "").trim())
    .filter((line) => line !== "");
}

/** Quotes hold words together, as in a shell. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}
