/** Server-sent events, cut out of text that comes in pieces. Memory holds one event at a time. */

const LONGEST_EVENT = 32 * 1024 * 1024;

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
