/** Reads a provider's HTTP answer while it passes: server-sent events piece by piece, JSON at the end. */
import { parseObject, type JsonObject } from "../lines.ts";
import { errorOf } from "./openai-chat.ts";
import type { ReadAnswer, Shape } from "./shape.ts";

/** Longer events are left out. */
const LONGEST_EVENT = 32 * 1024 * 1024;
/** Beyond this an answer is forwarded and not recorded. */
const LONGEST_ANSWER = 64 * 1024 * 1024;

export interface AnswerReader {
  push(text: string): void;
  /** `whole`: the connection ended as it should. */
  end(whole: boolean): ReadAnswer;
}

export function createAnswerReader(shape: Shape, status: number, contentType: string): AnswerReader {
  if (status < 400 && contentType.includes("text/event-stream")) return eventReader(shape);
  const pieces: string[] = [];
  let length = 0;
  return {
    push: (text) => {
      length += text.length;
      if (length <= LONGEST_ANSWER) pieces.push(text);
    },
    end: (whole) => {
      const body = parseObject(length <= LONGEST_ANSWER ? pieces.join("") : "");
      if (status >= 400) return failed(status, body, pieces.join(""));
      if (body === undefined) return unreadable(length > LONGEST_ANSWER, whole);
      return { ...shape.answered(body), ...errorOf(body) };
    },
  };
}

function eventReader(shape: Shape): AnswerReader {
  const stream = shape.stream();
  const cutter = new EventCutter((data) => {
    const event = parseObject(data);
    if (event !== undefined) stream.event(event);
  });
  return {
    push: (text) => cutter.push(text),
    end: () => {
      cutter.end();
      return stream.answer();
    },
  };
}

function failed(status: number, body: JsonObject | undefined, text: string): ReadAnswer {
  const { error } = errorOf(body ?? {});
  const message = error?.message ?? (text.slice(0, 500) || "no message");
  return { error: { code: `http-${status}`, message }, complete: false };
}

function unreadable(tooLong: boolean, whole: boolean): ReadAnswer {
  if (!whole) return { complete: false };
  const message = tooLong
    ? `The answer is longer than ${LONGEST_ANSWER} characters; it was passed on and not recorded.`
    : "The answer was not a JSON object; it was passed on and not recorded.";
  return { error: { code: tooLong ? "answer-too-long" : "bad-answer", message }, complete: false };
}

/** Server-sent events, cut out of text that comes in pieces. Memory holds one event at a time. */
export class EventCutter {
  /** The pieces of the line that is not over yet, so that a long one is put together once. */
  #pieces: string[] = [];
  #length = 0;
  /** A "\r" at the end of a piece is a line's end, alone or with the "\n" that may follow. */
  #returned = false;
  readonly #onData: (data: string) => void;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(text: string): void {
    let from = this.#returned && text.startsWith("\n") ? 1 : 0;
    if (text !== "") this.#returned = text.endsWith("\r");
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      if (index < from) continue;
      this.#keep(text.slice(from, index));
      // The interfaces recorded here write each event's data on one line.
      this.#line();
      from = index + end.length;
    }
    this.#keep(text.slice(from));
  }

  end(): void {
    this.#line();
  }

  #keep(piece: string): void {
    this.#length += piece.length;
    // What is too long is left out, up to its end.
    if (this.#length > LONGEST_EVENT) this.#pieces = [];
    else if (piece !== "") this.#pieces.push(piece);
  }

  #line(): void {
    const line = this.#length > LONGEST_EVENT ? "" : this.#pieces.join("");
    [this.#pieces, this.#length] = [[], 0];
    if (!line.startsWith("data:")) return;
    const data = line.slice(line[5] === " " ? 6 : 5);
    if (data !== "" && data !== "[DONE]") this.#onData(data);
  }
}
