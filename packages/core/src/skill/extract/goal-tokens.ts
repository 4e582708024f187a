/**
 * The pieces of a request. A path, an address, a quotation, a symbol, a number or a mark of the redactor is one piece, whatever
 * stands in it; everything else is words and signs. Languages that write without spaces are cut into words too.
 */
import { LONGEST_GOAL, MARK, QUOTES } from "limbeck-recorder/selection/fit-shape";

/** What a piece is. `mark` is what the redactor left in the place of something private. */
export type PieceKind = "mark" | "quoted" | "code" | "url" | "email" | "path" | "symbol" | "number" | "word" | "sign";

export interface Piece {
  readonly kind: PieceKind;
  /** Without its quotes, where it has some. */
  readonly value: string;
  /** Where the value stands in the text. */
  readonly start: number;
  readonly end: number;
  /** The quotes around it: they are part of the text, not of the value. */
  readonly quotes?: readonly [open: string, close: string];
}

/** A goal as it is read: its beginning, in one form of accents and spaces. */
export function goalText(goal: string): string {
  return goal.slice(0, LONGEST_GOAL).normalize("NFC").replaceAll(/\s+/g, " ").trim();
}

/** Scripts whose words follow each other, or are followed by endings, without a space. */
const DENSE = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{scx=${script}}`)
  .join("");
/** A letter, number or underscore of a name; not of a dense script, in which the next word would be taken along. */
const N = `(?:(?![${DENSE}])[\\p{L}\\p{M}\\p{N}_])`;
const ANY = "[\\p{L}\\p{M}\\p{N}_]";
/** What may stand inside a name of a file, but not at its end. */
const INNER = `(?:${N}|[-.@+~%$=,](?=${N}|[-.*\\[(/\\\\])|\\*)`;
const SEGMENT = `(?:${INNER}|\\[[\\w.-]{1,40}\\]|\\([\\w.-]{1,40}\\))+`;
const LINE = "(?:(?::\\d+(?:[-:]\\d+)*)|(?:#L\\d+(?:-L?\\d+)?))?";
const EXTENSION = "\\.[A-Za-z][A-Za-z0-9]{0,9}";
const ADDRESS = `(?:(?![${DENSE}])[^\\s<>"'\`«»“”„，。；：！？、（）「」()])`;
const NAME = `(?:(?!\\d)${N})(?:${N}|\\$)*`;

const PAIRS = Object.entries(QUOTES).flatMap(([open, closes]) => Array.from(closes, (close) => [open, close] as const));

/** In the order in which they are tried at a place. */
const FORMS: readonly (readonly [PieceKind, RegExp])[] = (
  [
    ["mark", MARK],
    [
      "url",
      `(?:[a-z][a-z0-9+.-]{1,20}://|www\\.)(?:${ADDRESS}|\\(${ADDRESS}*\\))*(?:[\\p{L}\\p{N}/=#_~-]|\\(${ADDRESS}*\\))`,
    ],
    ["email", `${N}(?:${N}|[.+%-])*@${N}(?:${N}|-)*(?:\\.(?:${N}|-)*[\\p{L}])+`],
    // "docs/説明.md": a dense script inside a path, as long as it ends in a name of a file.
    ["path", `(?:${N}|[.~-])*/(?:${ANY}|[-./])*[${DENSE}](?:${ANY}|[-./])*?${EXTENSION}${LINE}`],
    ["path", `(?:[A-Za-z]:[\\\\/]|\\\\\\\\)(?:${SEGMENT}[\\\\/])*(?:${SEGMENT})?${LINE}`],
    ["path", `(?:~|\\.{1,2})?/(?:${SEGMENT}/)*${SEGMENT}${LINE}`],
    ["path", `(?:~|\\.{1,2})/`],
    ["path", `(?:@?${SEGMENT}[/\\\\])+(?:${SEGMENT})?(?:#\\d+)?${LINE}`],
    ["symbol", `[@$]?${NAME}(?:(?:\\.|::|->|#)${NAME})*\\([^()\\s]{0,40}\\)`],
    ["symbol", `@?${N}(?:${N}|[-./])*@[\\^~]?v?\\d[\\w.-]*\\b`],
    ["number", `[\\^~]?v?\\d+(?:\\.\\d+)+(?:[-+]${N}(?:${N}|[.-])*)?\\b`],
    ["path", `\\.?(?:${N}|-(?=${N}))+(?:\\.(?:${N}|-(?=${N}))+)*${EXTENSION}(?!${N}|\\.${N})${LINE}`],
    ["path", `\\.(?!\\d)${N}{2,}(?:[.-]${N}+)*`],
    ["symbol", `${NAME}(?:(?:\\.|::|->)${NAME})+`],
    ["symbol", `--?(?!\\d)${N}(?:${N}|-(?=${N}))*`],
    ["symbol", `[$@]${NAME}`],
    ["number", "(?:#|(?:\\p{Lu}{1,10}-))\\d+"],
    ["number", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{18,}"],
    ["number", `\\d+(?:[.,:/-]\\d+)*%?${N}*`],
    ["symbol", `${N}*_${N}+|\\p{Ll}+(?:\\p{Lu}[\\p{Ll}\\p{N}]*)+|(?:\\p{Lu}[\\p{Ll}\\p{N}]+){2,}`],
    ["number", "\\p{L}{1,12}\\d+[\\p{L}\\d]*"],
    // "l'écran" is one word; in "d'src/cart.ts" a path begins.
    ["word", `${N}+(?:['’-]${N}+(?!${N}|[/\\\\(]|[.@:]${N}))*`],
    ["word", `(?:(?=[${DENSE}])[\\p{L}\\p{M}])+`],
    ["sign", "[^\\s]"],
  ] as const
).map(([kind, form]) => [kind, new RegExp(form, kind === "mark" ? "iuy" : "uy")] as const);

const BEGINS_DENSE = new RegExp(`^[${DENSE}]`, "u");

/** Whether words of its script stand without spaces between them. */
export function isDense(word: string): boolean {
  return BEGINS_DENSE.test(word);
}

/** The pieces of `goalText(goal)`, in order. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text[at] as string)) {
      at += 1;
      continue;
    }
    const quotation = quotedAt(text, at);
    if (quotation !== undefined) {
      pieces.push(quotation);
      at = quotation.end + (quotation.quotes?.[1].length ?? 0);
      continue;
    }
    const [kind, value] = pieceAt(text, at);
    const end = at + value.length;
    if (kind === "word" && isDense(value)) pieces.push(...denseWords(value, at));
    else pieces.push(bare({ kind: isPlainWord(kind, value) ? "word" : kind, value, start: at, end }));
    at = end;
  }
  return pieces;
}

function pieceAt(text: string, at: number): [PieceKind, string] {
  for (const [kind, form] of FORMS) {
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    if (found !== undefined && found !== "") return [kind, found];
  }
  return ["sign", text[at] as string];
}

/** "parseDate()" is about parseDate and "#42" about 42: what is written about a name is not part of it. */
function bare(piece: Piece): Piece {
  const [, open = "", value = "", close = ""] = /^(#?)(.*?)((?:\(\))?)$/u.exec(piece.value) ?? [];
  if (value === "" || (open === "" && close === "")) return piece;
  return { ...piece, value, start: piece.start + open.length, end: piece.end - close.length, quotes: [open, close] };
}

/** "and/or", "e.g", "client/server": letters around one sign, which are no name of a file. */
function isPlainWord(kind: PieceKind, value: string): boolean {
  if (/^\p{L}(?:\.\p{L})+$/u.test(value)) return true;
  return kind === "path" && /^\p{L}+\/\p{L}+$/u.test(value) && !FOLDERS.test(value);
}

const FOLDERS =
  /^(?:src|lib|libs|test|tests|spec|docs?|app|apps|packages?|bin|cmd|pkg|internal|scripts?|config|public|feature|feat|fix|bugfix|hotfix|chore|release|origin)\//;

/** A quotation that begins here and ends before the text does. */
function quotedAt(text: string, at: number): Piece | undefined {
  for (const [open, close] of PAIRS) {
    if (!text.startsWith(open, at)) continue;
    // An apostrophe inside or behind a word opens nothing.
    if (open === "'" && /[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return undefined;
    const from = at + open.length;
    let to = text.indexOf(close, from);
    if (open === "'") while (to !== -1 && /[\p{L}\p{N}]/u.test(text[to + 1] ?? "")) to = text.indexOf(close, to + 1);
    const inner = to === -1 ? "" : text.slice(from, to);
    if (inner.trim() === "" || /^\s/.test(inner) !== /\s$/.test(inner)) continue;
    const start = from + (inner.length - inner.trimStart().length);
    return {
      kind: open === "`" ? "code" : "quoted",
      value: inner.trim(),
      start,
      end: start + inner.trim().length,
      quotes: [text.slice(at, start), text.slice(start + inner.trim().length, to + close.length)],
    };
  }
  return undefined;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "word" });

function denseWords(text: string, start: number): Piece[] {
  return [...SEGMENTER.segment(text)].map(({ segment, index }) => ({
    kind: "word",
    value: segment,
    start: start + index,
    end: start + index + segment.length,
  }));
}
