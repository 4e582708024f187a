/**
 * Cuts a stream of JSON into the elements below a path without holding the rest: the items of a huge array, or the spans
 * inside `{"resourceSpans":[{"scopeSpans":[{"spans":[…]}]}]}`.
 *
 * It follows strings and brackets only; each element is then parsed by itself, which checks it. What lies outside the
 * elements is checked for balance. Several values may follow each other in one file.
 */

/** "*" stands for every item of an array, a name for that key of an object; no entries: the values themselves. */
export type JsonPath = readonly string[];

/** One element, or what stopped the scan. */
export type Piece =
  | { readonly kind: "element"; readonly bytes: Buffer; readonly line: number }
  | { readonly kind: "too-long"; readonly length: number; readonly line: number };

/** Thrown where brackets do not match or the input ends inside a value. */
export class JsonStructureError extends Error {
  readonly line: number;
  readonly truncated: boolean;
  constructor(message: string, line: number, truncated: boolean) {
    super(message);
    this.line = line;
    this.truncated = truncated;
  }
}

interface Container {
  readonly array: boolean;
  /** How many entries of the path lead here; -1 when it lies off the path. */
  readonly matched: number;
  /** Object only: the next string is a key. */
  wantsKey: boolean;
  key: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COMMA, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a];

/** Longest key that is looked at; a longer one is on no path of ours. */
const MAX_KEY_BYTES = 256;

export class JsonSplitter {
  readonly #path: JsonPath;
  readonly #maxBytes: number;
  readonly #stack: Container[] = [];
  #line = 1;
  #inString = false;
  #escaped = false;
  #inScalar = false;
  #key: number[] | undefined;
  /** Depth of the stack at which the element being recorded began; -1: none. */
  #recording = -1;
  #pieces: Buffer[] = [];
  #length = 0;
  #startLine = 1;

  constructor(path: JsonPath, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Buffer): Generator<Piece, void, undefined> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === NEWLINE) this.#line += 1;
      if (this.#inString) {
        if (this.#step(byte) && this.#recording === this.#stack.length) {
          yield this.#finish(chunk.subarray(from, at + 1));
        }
        continue;
      }
      if (this.#inScalar && ends(byte)) {
        this.#inScalar = false;
        if (this.#recording === this.#stack.length) yield this.#finish(chunk.subarray(from, at));
      }
      if (byte <= 0x20 || this.#inScalar) continue;
      const starts = byte !== COMMA && byte !== COLON && byte !== CLOSE_OBJECT && byte !== CLOSE_ARRAY;
      if (starts && this.#beginsElement()) {
        this.#recording = this.#stack.length;
        this.#startLine = this.#line;
        from = at;
      }
      if (this.#structure(byte) && this.#recording === this.#stack.length) {
        yield this.#finish(chunk.subarray(from, at + 1));
      }
    }
    if (this.#recording !== -1) this.#keep(chunk.subarray(from));
  }

  /** The last scalar, if the input ended in one; throws when a value is unfinished. */
  *end(): Generator<Piece, void, undefined> {
    if (this.#inString || this.#stack.length > 0) {
      throw new JsonStructureError("the file ends inside a JSON value; it is cut off.", this.#line, true);
    }
    if (this.#inScalar && this.#recording === 0) yield this.#finish(Buffer.alloc(0));
  }

  /** One byte inside a string; true when it closes a string that is a value. */
  #step(byte: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      if (this.#key === undefined) return true;
      const top = this.#stack.at(-1);
      if (top !== undefined) top.key = decodeKey(this.#key);
      this.#key = undefined;
      return false;
    }
    if (this.#key !== undefined && this.#key.length <= MAX_KEY_BYTES) this.#key.push(byte);
    return false;
  }

  /** One byte outside strings and scalars; true when it closes a container. */
  #structure(byte: number): boolean {
    const top = this.#stack.at(-1);
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        if (top?.wantsKey === true) {
          this.#key = [];
          top.wantsKey = false;
        }
        return false;
      case OPEN_OBJECT:
      case OPEN_ARRAY: {
        const array = byte === OPEN_ARRAY;
        this.#stack.push({ array, matched: this.#matchHere(), wantsKey: !array, key: "" });
        return false;
      }
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (top === undefined || top.array !== (byte === CLOSE_ARRAY)) {
          throw new JsonStructureError("a closing bracket does not match.", this.#line, false);
        }
        this.#stack.pop();
        return true;
      case COMMA:
        if (top !== undefined && !top.array) top.wantsKey = true;
        return false;
      case COLON:
        return false;
      default:
        this.#inScalar = true;
        return false;
    }
  }

  /** How much of the path leads to the value that begins here. */
  #matchHere(): number {
    const top = this.#stack.at(-1);
    if (top === undefined) return 0;
    if (top.matched === -1 || top.matched >= this.#path.length) return -1;
    const wanted = this.#path[top.matched];
    return (top.array ? wanted === "*" : wanted === top.key) ? top.matched + 1 : -1;
  }

  #beginsElement(): boolean {
    const top = this.#stack.at(-1);
    if (this.#recording !== -1 || top?.wantsKey === true) return false;
    return this.#matchHere() === this.#path.length;
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length > this.#maxBytes) this.#pieces = [];
    else if (bytes.length > 0) this.#pieces.push(bytes);
  }

  #finish(bytes: Buffer): Piece {
    this.#keep(bytes);
    const length = this.#length;
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#recording = -1;
    this.#pieces = [];
    this.#length = 0;
    const line = this.#startLine;
    return length > this.#maxBytes ? { kind: "too-long", length, line } : { kind: "element", bytes: whole, line };
  }
}

function ends(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || byte === COLON;
}

/** A key with escapes is unescaped; one that is not valid matches no path. */
function decodeKey(bytes: readonly number[]): string {
  const text = Buffer.from(bytes).toString("utf8");
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return "\\";
  }
}
