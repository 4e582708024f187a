/** Reads what the world is made of: the paragraphs of the files in notes/, and the lines of questions.jsonl. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Passage {
  readonly id: string;
  /** A title in quotes, a line break, the text. */
  readonly contents: string;
}

export interface Question {
  readonly id: string;
  readonly question: string;
  /** Every answer that counts as right. */
  readonly answers: readonly string[];
  /** Ids of the passages that hold the answer, where you know them. */
  readonly support: readonly string[];
}

const folder = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Every paragraph of every text file is a passage that a search can find. */
export function readPassages(): readonly Passage[] {
  const files = readdirSync(folder("notes")).filter((name) => /\.(?:md|txt)$/.test(name));
  return files.toSorted().flatMap((name) =>
    readFileSync(folder(`notes/${name}`), "utf8")
      .split(/\r?\n\s*\r?\n/)
      .map((text) => text.trim())
      .filter((text) => text !== "")
      .map((text, at) => ({ id: `${name}/${at + 1}`, contents: `"${name}"\n${text}` })),
  );
}

/** The questions by split. A line that is not understood is named. */
export function readQuestions(): Readonly<Record<string, readonly Question[]>> {
  const bySplit: Record<string, Question[]> = {};
  const lines = readFileSync(folder("questions.jsonl"), "utf8").split("\n");
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const { split, question, answers } = JSON.parse(line) as Partial<Question> & { readonly split?: string };
    if (typeof split !== "string" || typeof question !== "string" || !Array.isArray(answers)) {
      throw new Error(`questions.jsonl, line ${at + 1}: needs "split", "question" and a list "answers".`);
    }
    (bySplit[split] ??= []).push({ id: `line-${at + 1}`, question, answers, support: [] });
  }
  return bySplit;
}
