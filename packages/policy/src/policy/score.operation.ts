/** `limbeck score`: log-probabilities of given tokens, line by line. */
import { EngineError } from "limbeck-base/base/errors";
import { neededPath } from "limbeck-base/base/given-file";
import { input } from "limbeck-base/base/input";
import { isObject } from "limbeck-base/base/json";
import { defineOperation, type Context } from "limbeck-base/base/operation";
import { plainPieces } from "limbeck-base/base/plain-file";
import { adaptedInputs } from "./engine.inputs.ts";
import type { LocalModel } from "./local/local-model.ts";

/** Lines scored together: enough to fill micro-batches, few enough that results come while the file is read. */
const LINES_AT_ONCE = 64;

const { cache: _, ...model } = adaptedInputs;

/**
 * Log-probabilities of the tokens or texts in a file of JSON lines.
 *
 * @example
 * import { mkdtemp, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bundledModel } from "limbeck/local";
 *
 * const file = join(await mkdtemp(join(tmpdir(), "score-")), "rows.jsonl");
 * await writeFile(file, '{"ids": [1, 2, 3]}\n');
 * const { rows, tokens } = await score({ model: bundledModel("household"), in: file });
 * console.log(rows, tokens); // 1 3
 */
export const score = defineOperation({
  name: "score",
  group: "learn",
  summary: "Log-probabilities of given tokens under a model",
  usage: "--model DIR --in FILE [--entropy] [--json]",
  description:
    'The file holds one JSON object per line: {"ids": [1, 2, 3]} for tokens, or {"text": "…"} for text, which gets what the tokenizer puts around every text. Further fields are ignored.\n' +
    "Each token has the natural logarithm of its probability given all before it; the first has none (null). Special tokens written in a text are only text, unless --specials is given.",
  input: {
    ...model,
    in: input.path("FILE", 'JSON lines; "-" reads standard input'),
    entropy: input.flag("Also the entropy of each prediction, in nats"),
    specials: input.flag("Special tokens in a text count as such"),
  },
  examples: [
    "limbeck score --model agent --in rows.jsonl --json",
    'echo \'{"text": "Once upon a time"}\' | limbeck score --model stories --in -',
  ],
  line: {
    line: "line of the file, from 1",
    ids: "the tokens",
    logprobs: "log-probability of each token; null for the first, which nothing predicts",
    entropy: "entropy of the prediction of each token, with --entropy; null for the first",
    sum: "sum of the log-probabilities",
    mean: "their mean; null for a single token",
  },
  natives: () => ["onnxruntime"],
  run: async (given, context) => {
    const { givenModel } = await import("./local/given-model.ts");
    const opened = await givenModel("score", given, context);
    let [rows, tokens, total] = [0, 0, 0];
    let waiting: Line[] = [];
    const flush = async (): Promise<void> => {
      for (const scored of await scoredTogether(opened, waiting, given.entropy, context.signal)) {
        [rows, tokens, total] = [rows + 1, tokens + scored.ids.length, total + scored.sum];
        context.emit(scored);
      }
      waiting = [];
    };
    try {
      let line = 0;
      for await (const text of linesOf(given.in, context)) {
        line += 1;
        if (text.trim() === "") continue;
        waiting.push({ line, ids: tokensOf(opened, line, text, given.specials) });
        if (waiting.length >= LINES_AT_ONCE) await flush();
      }
    } finally {
      // What came before a faulty line is whole; it is printed before the fault is reported.
      try {
        await flush();
      } finally {
        await opened.close();
      }
    }
    if (rows === 0) throw new EngineError("bad-input", "There is no line to score.");
    return { rows, tokens, mean: tokens === rows ? null : total / (tokens - rows) };
  },
});

interface Line {
  readonly line: number;
  readonly ids: Int32Array;
}

async function* linesOf(file: string | undefined, context: Context): AsyncGenerator<string, void, undefined> {
  const path = neededPath(context, file, '"limbeck score" needs --in FILE, JSON lines to score.');
  let rest = "";
  try {
    for await (const text of file === "-"
      ? [await context.readInput()]
      : await plainPieces(path, { encoding: "utf8" })) {
      const lines = `${rest}${String(text)}`.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (cause) {
    throw new EngineError("bad-input", `Cannot read "${file}".`, { cause });
  }
  yield rest;
}

/** Everything that the scorer would refuse is refused with the number of the line. */
function tokensOf({ config, ref, tokenizer }: LocalModel, line: number, text: string, specials: boolean): Int32Array {
  const fault = (why: string, cause?: unknown): EngineError =>
    new EngineError("bad-input", `Line ${line}: ${why}.`, { details: { line }, cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw fault("it is not JSON", cause);
  }
  const { ids, text: words } = isObject(value) ? value : {};
  if (!Array.isArray(ids)) {
    if (typeof words !== "string") throw fault('it has neither "ids", a list of tokens, nor "text"');
    if (tokenizer === undefined) {
      throw fault(`it is text, and the model "${ref.name}" has no tokenizer.json; give "ids"`);
    }
  }
  const { vocabularySize, contextLength } = config;
  const found = Array.isArray(ids)
    ? (ids as number[])
    : [...(tokenizer?.encode(words as string, { specials: specials ? "token" : "text", wrap: true }) ?? [])];
  const odd = found.findIndex((id) => !Number.isSafeInteger(id));
  if (odd >= 0) throw fault(`"ids" holds ${JSON.stringify(found[odd])} at place ${odd}, which is no whole number`);
  if (found.length === 0) throw fault("it has no tokens; give at least one");
  if (found.length > contextLength) {
    throw fault(`it has ${found.length} tokens; the model's context is ${contextLength}`);
  }
  const wrong = found.findIndex((id) => id < 0 || id >= vocabularySize);
  if (wrong < 0) return Int32Array.from(found);
  const allowed = `allowed: 0 to ${vocabularySize - 1}`;
  throw fault(`token ${found[wrong]} at place ${wrong} is not in the vocabulary; ${allowed}`);
}

export type ScoredLine = Awaited<ReturnType<typeof scoredTogether>>[number];

async function scoredTogether(model: LocalModel, lines: readonly Line[], entropy: boolean, signal: AbortSignal) {
  const statistics = entropy ? (["logprob", "entropy"] as const) : (["logprob"] as const);
  const results = lines.length === 0 ? [] : await model.score(lines, { statistics, signal });
  const aligned = (values: Float32Array | undefined): (number | null)[] => [null, ...(values ?? []).slice(1)];
  return lines.map(({ line, ids }, at) => {
    const { logprob = new Float32Array(), entropy: spread } = results[at] ?? {};
    const sum = logprob.reduce((total, value) => total + value, 0);
    return {
      line,
      ids: [...ids],
      logprobs: aligned(logprob),
      ...(entropy ? { entropy: aligned(spread) } : {}),
      sum,
      mean: ids.length < 2 ? null : sum / (ids.length - 1),
    };
  });
}
