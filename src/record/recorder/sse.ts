/** Server-sent events, cut out of text that comes in pieces. Memory holds one event at a time. */

const LONGEST_EVENT = 32 * 1024 * 1024;

export class EventCutter {
  #rest = "";
  readonly #onData: (data: string) => void;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(text: string): void {
    this.#rest += text;
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > LONGEST_EVENT) this.#rest = "";
    // The interfaces recorded here write each event's data on one line.
    for (const line of lines) this.#line(line);
  }

  end(): void {
    this.#line(this.#rest);
    this.#rest = "";
  }

  #line(line: string): void {
    if (!line.startsWith("data:")) return;
    const data = line.slice(line[5] === " " ? 6 : 5);
    if (data !== "" && data !== "[DONE]") this.#onData(data);
  }
}
