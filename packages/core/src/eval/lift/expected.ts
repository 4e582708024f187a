/** What a line of a dataset expects of a right answer: a text that it holds, a pattern that it matches, a schema that it fits. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { parseJson, type JsonObject } from "limbeck-base/base/json";
import { cutWords } from "limbeck-base/base/words";

export interface Expected {
  readonly answer?: string | undefined;
  /** A regular expression. */
  readonly pattern?: string | undefined;
  /** A JSON schema; the answer is JSON, alone or in a block of code. */
  readonly schema?: JsonObject | undefined;
}

/** Answers are read this far: a pattern of a stranger's file must not be asked of megabytes. */
const READ_CHARACTERS = 64 * 1024;

export function saysWhatIsRight({ answer, pattern, schema }: Expected): boolean {
  return answer !== undefined || pattern !== undefined || schema !== undefined;
}

/** Throws where a pattern or a schema is none; `place` is "Line 3 of f.jsonl". */
export function checkExpected({ pattern, schema }: Expected, place: string): void {
  try {
    if (pattern !== undefined) "".match(new RegExp(pattern));
    if (schema !== undefined) z.fromJSONSchema(schema);
  } catch (cause) {
    const what = pattern === undefined ? "schema" : "pattern or schema";
    throw new EngineError("bad-input", `${place} has a ${what} that cannot be used: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

/** All of it must hold. */
export function isRight({ answer, ...form }: Expected, given: string): boolean {
  const plain = (text: string): string => ` ${cutWords(text).join(" ")} `;
  return (answer === undefined || plain(given).includes(plain(answer))) && hasForm(form, given);
}

export function hasForm({ pattern, schema }: Omit<Expected, "answer">, given: string): boolean {
  const read = given.slice(0, READ_CHARACTERS);
  if (pattern !== undefined && !new RegExp(pattern).test(read)) return false;
  return schema === undefined || z.fromJSONSchema(schema).safeParse(jsonIn(read)).success;
}

function jsonIn(text: string): unknown {
  return parseJson(text.trim()) ?? parseJson(/```(?:json)?\s*\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "");
}
