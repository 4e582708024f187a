/**
 * Loaders for question files and passage corpora in the forms their publishers use.
 *
 * Questions: a JSON array, or one JSON object a line. Each has `question` and its answers in `answer` (a text or a
 * list), `answer_aliases` or `golden_answers`; an id in `_id` or `id`; HotpotQA's `supporting_facts` where present.
 *
 * Corpora: an object from title to sentences (HippoRAG's HotpotQA), or a JSON array or lines of `{title, text}`
 * (MuSiQue) or `{id, contents}` (Search-R1).
 */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { parseObject } from "limbeck-base/base/json";
import { passageContents, type Passage } from "./retriever.ts";

export interface Question {
  /** Unique in its file. */
  readonly id: string;
  readonly question: string;
  /** Any of these is right. */
  readonly answers: readonly string[];
  /** Ids of the passages that hold the answer together, where the file says so. */
  readonly support: readonly string[];
  /** How many passages must be joined, where that is known. */
  readonly hops?: number;
}

const name = z.union([z.string().min(1), z.number()]);
const answer = z.string().min(1);

const QuestionSchema = z.object({
  _id: name.optional(),
  id: name.optional(),
  question: z.string().min(1),
  answer: z.union([answer, z.array(answer)]).optional(),
  answer_aliases: z.array(answer).optional(),
  golden_answers: z.array(answer).optional(),
  supporting_facts: z.array(z.tuple([z.string(), z.number()])).optional(),
});

const EntrySchema = z.union([
  z.object({ id: name, contents: z.string().min(1) }),
  z.object({ id: name.optional(), title: z.string().min(1), text: z.string() }),
]);

const TitledSchema = z.record(z.string(), z.array(z.string()));

/**
 * `where` names the file in messages.
 *
 * @example
 * const questions = loadQuestions('[{ "id": "q1", "question": "Who wrote Emma?", "answer": "Jane Austen" }]');
 * console.log(questions[0]?.answers); // [ "Jane Austen" ]
 */
export function loadQuestions(text: string, where = "questions"): Question[] {
  const ids = new Set<string>();
  return readRecords(text, where).map((record, index) => {
    const at = `${where}, question ${index + 1}`;
    const parsed = QuestionSchema.safeParse(record);
    if (!parsed.success) throw badFile(at, z.prettifyError(parsed.error));
    const { data } = parsed;
    const answers = [data.answer ?? [], data.answer_aliases ?? [], data.golden_answers ?? []].flat();
    if (answers.length === 0) throw badFile(at, "it has no answer; give `answer` or `golden_answers`");
    const id = String(data["_id"] ?? data.id ?? index);
    if (ids.has(id)) throw duplicate(where, "question", id);
    ids.add(id);
    const support = [...new Set((data.supporting_facts ?? []).map(([title]) => title))];
    return { id, question: data.question, answers, support };
  });
}

/**
 * A passage is named by its id; without one by its title where titles are keys, else by its number.
 *
 * @example
 * console.log(loadCorpus('{ "title": "Emma", "text": "A novel by Jane Austen." }')[0]?.contents); // "Emma" A novel by Jane Austen.
 */
export function loadCorpus(text: string, where = "corpus"): Passage[] {
  const passages = text.trimStart().startsWith("{") && isTitled(text) ? titled(text, where) : listed(text, where);
  const ids = new Set<string>();
  for (const { id } of passages) {
    if (ids.has(id)) throw duplicate(where, "passage", id);
    ids.add(id);
  }
  if (passages.length === 0) throw badFile(where, "it holds no passages");
  return passages;
}

/** One JSON object over the whole text, rather than one object a line. */
function isTitled(text: string): boolean {
  const firstLine = text.trim().split("\n", 1)[0] ?? "";
  const first = parseObject(firstLine);
  return first === undefined || (typeof first === "object" && !("contents" in first) && !("text" in first));
}

function titled(text: string, where: string): Passage[] {
  const parsed = TitledSchema.safeParse(parseOrThrow(text, where));
  if (!parsed.success) throw badFile(where, z.prettifyError(parsed.error));
  // A JSON parser keeps the last of two equal keys without a word, so they are looked for in the text.
  const seen = new Set<string>();
  for (const key of topLevelKeys(text)) {
    if (seen.has(key)) throw duplicate(where, "passage", key);
    seen.add(key);
  }
  return Object.entries(parsed.data).map(([title, sentences]) => ({
    id: title,
    contents: passageContents(title, sentences.join("")),
  }));
}

function listed(text: string, where: string): Passage[] {
  return readRecords(text, where).map((record, index) => {
    const parsed = EntrySchema.safeParse(record);
    if (!parsed.success) {
      const expected = "expected {id, contents} or {title, text}";
      throw badFile(`${where}, passage ${index + 1}`, `${expected}; ${z.prettifyError(parsed.error)}`);
    }
    const { data } = parsed;
    if ("contents" in data) return { id: String(data.id), contents: data.contents };
    return { id: String(data.id ?? index), contents: passageContents(data.title, data.text) };
  });
}

function readRecords(text: string, where: string): unknown[] {
  if (text.trimStart().startsWith("[")) {
    const json = parseOrThrow(text, where);
    if (Array.isArray(json)) return json;
  }
  const lines = text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const records = lines.filter(({ line }) => line !== "");
  if (records.length === 0) throw badFile(where, "it is empty");
  return records.map(({ line, number }) => parseOrThrow(line, `${where}, line ${number}`));
}

function parseOrThrow(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badFile(where, `it is not JSON (${cause instanceof Error ? cause.message : "unreadable"})`, cause);
  }
}

function badFile(where: string, why: string, cause?: unknown): EngineError {
  return new EngineError("bad-research-file", `${where} cannot be used: ${why}.`, { details: { where }, cause });
}

function duplicate(where: string, what: string, id: string): EngineError {
  return new EngineError("duplicate-id", `${where} holds the ${what} id "${id}" twice. Ids must be unique.`, {
    details: { where, id },
  });
}

/** The keys of a JSON text's outermost object in the order they stand, repeated ones included. The text must be valid. */
function* topLevelKeys(json: string): Generator<string> {
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs;
  let depth = 0;
  for (const match of json.matchAll(token)) {
    const text = match[0];
    if (text === "{" || text === "[") depth += 1;
    else if (text === "}" || text === "]") depth -= 1;
    else if (depth === 1 && /^\s*:/.test(json.slice(match.index + text.length, match.index + text.length + 64))) {
      yield String(JSON.parse(text));
    }
  }
}
