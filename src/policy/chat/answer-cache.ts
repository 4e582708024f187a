/**
 * Answers by the content of their question: model, messages and every option that can change the reply, the seed among
 * them. In memory, and in a folder where one is given; a file that cannot be read is a question not yet asked.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { canonicalJson, replaceFile } from "../../base/index.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import type { ChatAnswer, ChatRequest } from "./endpoint.ts";

export interface AnswerCache {
  get(key: string): Promise<ChatAnswer | undefined>;
  set(key: string, answer: ChatAnswer): Promise<void>;
}

/** Part of every key; to be raised when the meaning of a stored answer changes. */
const FORMAT = 1;
/** Answers kept in memory; the oldest go first. */
const KEPT_ANSWERS = 10_000;

const json = z.record(z.string(), z.json());
const count = z.number().exactOptional();
const AnswerSchema = z.strictObject({
  text: z.string(),
  reasoning: z.string().exactOptional(),
  toolCalls: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      arguments: z.union([z.string(), z.custom<JsonObject>((value) => json.safeParse(value).success)]),
    }),
  ),
  finishReason: z.enum(["stop", "length", "tool-calls", "filtered"]),
  logprobs: z.array(z.strictObject({ text: z.string(), logprob: z.number() })).exactOptional(),
  counts: z.strictObject({ promptTokens: count, completionTokens: count, cachedTokens: count }),
});

/** Keys of objects are sorted, so that the order in which options were written does not matter. */
export function answerKey(endpoint: string, request: ChatRequest): string {
  return createHash("sha256")
    .update(canonicalJson([FORMAT, endpoint, request]))
    .digest("hex");
}

export function createAnswerCache(folder: string | undefined): AnswerCache {
  const known = new Map<string, ChatAnswer>();
  const keep = (key: string, answer: ChatAnswer): void => {
    known.set(key, answer);
    const oldest = known.keys().next();
    if (known.size > KEPT_ANSWERS && oldest.done !== true) known.delete(oldest.value);
  };
  return {
    get: async (key) => {
      const found = known.get(key) ?? (folder === undefined ? undefined : await readAnswer(folder, key));
      if (found !== undefined) keep(key, found);
      return found;
    },
    set: async (key, answer) => {
      keep(key, answer);
      if (folder !== undefined) {
        // Another process never reads half an answer. One that is lost in a power cut is asked for again.
        await replaceFile(join(folder, `${key}.json`), (path) => writeFile(path, JSON.stringify(answer)));
      }
    },
  };
}

async function readAnswer(folder: string, key: string): Promise<ChatAnswer | undefined> {
  try {
    return AnswerSchema.parse(JSON.parse(await readFile(join(folder, `${key}.json`), "utf8")));
  } catch {
    // Missing, damaged or of another format: the question is asked again, and the answer replaces the file.
    return undefined;
  }
}
