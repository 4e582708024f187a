/** `limbeck score`: log-probabilities of given tokens under a model folder. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { EngineError, errorCode } from "../../base/errors.ts";
import type { LocalModel } from "../../policy/local/local-model.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { formatNumber, plural } from "../look/units.ts";
import { adapterOption, modelOptions, neededPath, openGiven } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { flag, text } from "../options.ts";

/** Lines scored together: enough to fill micro-batches, few enough that results come while the file is read. */
const LINES_AT_ONCE = 64;

export const score: Command = {
  group: "learn",
  summary: "Log-probabilities of given tokens under a model",
  usage: "--model DIR --in FILE [--entropy] [--json]",
  description:
    'The file holds one JSON object per line: {"ids": [1, 2, 3]} for tokens, or {"text": "…"} for text, which gets what the tokenizer puts around every text. Further fields are ignored.\n' +
    "Each token has the natural logarithm of its probability given all before it; the first has none (null). Special tokens written in a text are only text, unless --specials is given.",
  options: {
    ...modelOptions,
    ...adapterOption,
    in: text("FILE", 'JSON lines; "-" reads standard input'),
    entropy: flag("Also the entropy of each prediction, in nats"),
    specials: flag("Special tokens in a text count as such"),
  },
  examples: [
    "limbeck score --model agent --in rows.jsonl --json",
    'echo \'{"text": "Once upon a time"}\' | limbeck score --model stories --in -',
  ],
  jsonFields: {
    line: "line of the file, from 1",
    ids: "the tokens",
    logprobs: "log-probability of each token; null for the first, which nothing predicts",
    entropy: "entropy of the prediction of each token, with --entropy; null for the first",
    sum: "sum of the log-probabilities",
    mean: "their mean; null for a single token",
  },
  natives: ["onnxruntime"],
  run: async (invocation) => {
    const model = await openGiven(invocation, "score");
    try {
      await scoreFile(invocation, model);
    } finally {
      await model.close();
    }
    return EXIT.done;
  },
};

interface Line {
  readonly line: number;
  readonly ids: Int32Array;
}

async function scoreFile(invocation: Invocation, model: LocalModel): Promise<void> {
  let [rows, tokens, total, predicted] = [0, 0, 0, 0];
  let waiting: Line[] = [];
  const flush = async (): Promise<void> => {
    for (const result of await scoreLines(invocation, model, waiting)) {
      rows += 1;
      tokens += result.ids.length;
      total += result.sum;
      predicted += result.ids.length - 1;
      if (invocation.json) invocation.printJson(result);
      const mean = result.mean === null ? "–" : formatNumber(result.mean);
      invocation.print(
        `line ${result.line}: ${plural(result.ids.length, "token")}, sum ${formatNumber(result.sum)}, mean ${mean}`,
      );
    }
    waiting = [];
  };
  try {
    for await (const [line, text] of linesOf(invocation)) {
      if (text.trim() === "") continue;
      waiting.push({ line, ids: checked(model, line, parseLine(invocation, model, line, text)) });
      if (waiting.length >= LINES_AT_ONCE) await flush();
    }
  } catch (error) {
    // What came before a faulty line is whole; it is printed before the fault is told.
    await flush();
    throw error;
  }
  await flush();
  if (rows === 0) throw new EngineError("bad-input", "There is no line to score.");
  const mean = predicted === 0 ? "–" : formatNumber(total / predicted);
  invocation.note(`${plural(rows, "row")}, ${plural(tokens, "token")}, mean log-probability ${mean}`);
}

async function* linesOf(invocation: Invocation): AsyncGenerator<[number, string], void, undefined> {
  const { io } = invocation;
  const given = invocation.text("in");
  if (given === undefined) throw usageError('"limbeck score" needs --in FILE, JSON lines to score.');
  const path = given === "-" ? undefined : neededPath(invocation, "score", "in", "FILE");
  const input = path === undefined ? Readable.from([await io.readInput()]) : createReadStream(path, "utf8");
  let line = 0;
  try {
    // A stream's own error does not reach the line reader.
    const failed = new Promise<never>((_, reject) => input.once("error", reject));
    failed.catch(() => undefined);
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([lines.next(), failed]);
      if (next.done === true) return;
      line += 1;
      yield [line, next.value];
    }
  } catch (error) {
    if (errorCode(error) === undefined || error instanceof EngineError) throw error;
    throw new EngineError("bad-input", `Cannot read "${given}".`, { cause: error });
  } finally {
    input.destroy();
  }
}

function parseLine(invocation: Invocation, model: LocalModel, line: number, text: string): Int32Array {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw fault(line, "it is not JSON", cause);
  }
  const { ids, text: words } = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  if (Array.isArray(ids)) {
    const wrong = ids.findIndex((id) => !Number.isSafeInteger(id));
    if (wrong >= 0)
      throw fault(line, `"ids" holds ${JSON.stringify(ids[wrong])} at place ${wrong}, which is no whole number`);
    return Int32Array.from(ids as number[]);
  }
  if (typeof words !== "string") throw fault(line, 'it has neither "ids", a list of tokens, nor "text"');
  if (model.tokenizer === undefined) {
    throw fault(line, `it is text, and the model "${model.ref.name}" has no tokenizer.json; give "ids"`);
  }
  return model.tokenizer.encode(words, { specials: invocation.flag("specials") ? "token" : "text", wrap: true });
}

/** Everything the scorer would refuse, told with the line. */
function checked(model: LocalModel, line: number, ids: Int32Array): Int32Array {
  const { vocabularySize, contextLength } = model.config;
  if (ids.length === 0) throw fault(line, "it has no tokens; give at least one");
  if (ids.length > contextLength) {
    throw fault(line, `it has ${ids.length} tokens; the model's context is ${contextLength}`);
  }
  const wrong = ids.findIndex((id) => id < 0 || id >= vocabularySize);
  if (wrong < 0) return ids;
  throw fault(
    line,
    `token ${ids[wrong]} at place ${wrong} is not in the vocabulary; allowed: 0 to ${vocabularySize - 1}`,
  );
}

function fault(line: number, why: string, cause?: unknown): EngineError {
  return new EngineError("bad-input", `Line ${line}: ${why}.`, { details: { line }, cause });
}

interface Scored {
  readonly line: number;
  readonly ids: readonly number[];
  readonly logprobs: readonly (number | null)[];
  readonly entropy?: readonly (number | null)[];
  readonly sum: number;
  readonly mean: number | null;
}

async function scoreLines(invocation: Invocation, model: LocalModel, lines: readonly Line[]): Promise<Scored[]> {
  if (lines.length === 0) return [];
  const entropy = invocation.flag("entropy");
  const results = await model.score(lines, {
    statistics: entropy ? ["logprob", "entropy"] : ["logprob"],
    signal: invocation.io.signal,
  });
  const aligned = (values: Float32Array | undefined): (number | null)[] => [null, ...[...(values ?? [])].slice(1)];
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
