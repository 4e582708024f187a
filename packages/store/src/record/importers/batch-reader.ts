/** Batch files: requests and what came of them, paired by `custom_id`, from one file or from the files of a folder. */
import type { JsonObject } from "limbeck-base/base/json";
import type { Message, Usage } from "limbeck-base/trajectory/trajectory";
import { Draft } from "./draft.ts";
import type { FileReader, Session } from "./session-source.ts";
import { restOf, textField } from "./fields.ts";

/** A request, in the words that both services share. */
export interface BatchRequest {
  readonly messages: readonly Message[];
  readonly model: string | undefined;
  readonly tools: readonly JsonObject[] | undefined;
  readonly rest: JsonObject;
}

/** What came of it. */
export interface BatchResult {
  readonly reply: Message | undefined;
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
  readonly failure: { readonly code: string; readonly message: string } | undefined;
  readonly rest: JsonObject;
}

export interface BatchDialect {
  readonly format: string;
  /** Undefined where the line is no request. */
  readonly request: (line: JsonObject) => BatchRequest | undefined;
  readonly result: (line: JsonObject) => BatchResult | undefined;
}

interface Pair {
  request?: BatchRequest;
  result?: BatchResult;
}

export class BatchReader implements FileReader {
  readonly #dialect: BatchDialect;
  readonly #waiting = new Map<string, Pair>();

  constructor(dialect: BatchDialect) {
    this.#dialect = dialect;
  }

  /** A pair is given as soon as it is whole; what waits is one half of it. */
  add(line: JsonObject): readonly Session[] {
    const id = textField(line["custom_id"]);
    const request = this.#dialect.request(line);
    const result = request === undefined ? this.#dialect.result(line) : undefined;
    if (id === undefined || (request === undefined && result === undefined)) {
      throw new TypeError('a line of a batch has "custom_id" and a request or its result');
    }
    const pair = this.#waiting.get(id) ?? {};
    if (request !== undefined) pair.request = request;
    if (result !== undefined) pair.result = result;
    this.#waiting.set(id, pair);
    if (pair.request === undefined || pair.result === undefined) return [];
    this.#waiting.delete(id);
    return [this.#draft(id, pair)];
  }

  end(): readonly Session[] {
    return [...this.#waiting].map(([id, pair]) => this.#draft(id, pair));
  }

  #draft(id: string, { request, result }: Pair): Draft {
    const { format } = this.#dialect;
    const draft = new Draft(format, id, format);
    draft.facts.model = result?.model ?? request?.model;
    draft.facts.tools = request?.tools;
    for (const message of request?.messages ?? []) draft.say({ message, given: true });
    if (result?.reply !== undefined) draft.say({ message: result.reply, usage: result.usage });
    draft.facts.failure = result?.failure;
    const kept = { request: request?.rest, result: result?.rest };
    const missing = request === undefined ? "request" : result === undefined ? "result" : undefined;
    draft.kept = {
      ...restOf({ request: kept.request ?? null, result: kept.result ?? null }),
      ...(missing === undefined ? {} : { missing }),
    };
    return draft;
  }
}
