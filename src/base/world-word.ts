/** How a world is typed: its id, or `python:MODULE` for the world python with that module. */

const PYTHON = "python:";

export interface WorldWord {
  readonly id: string;
  /** Options of the world that the word says. */
  readonly options: Readonly<Record<string, string>>;
}

/** What is stored is the id and the options, never the word: what reads them knows which of them name a program. */
export function readWorldWord(word: string): WorldWord {
  if (!word.startsWith(PYTHON)) return { id: word, options: {} };
  return { id: "python", options: { module: word.slice(PYTHON.length) } };
}
