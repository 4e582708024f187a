/**
 * Secrets in frames that others wrote: how they stand in the test texts of public scanners. A frame holds one place, `{a40}`, for a
 * value that is drawn from a seed, so that none was ever real and no text of a scanner is copied with its key.
 */
import { createHash } from "node:crypto";
import { createRng, type Rng } from "../../../packages/base/src/base/rng.ts";

export interface FramedSecret {
  /** Its frame, with the place. */
  readonly frame: string;
  /** What must not be found again. */
  readonly secret: string;
  readonly text: string;
}

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
/** A place is a letter and a length: hexadecimal, small letters, capitals, both, base64, an address's letters, digits, and any sign. */
const LETTERS: Readonly<Record<string, string>> = {
  h: "0123456789abcdef",
  l: DIGITS + LOWER,
  c: DIGITS + UPPER,
  a: DIGITS + LOWER + UPPER,
  b: `${DIGITS}${LOWER}${UPPER}+/`,
  w: `${DIGITS}${LOWER}${UPPER}_-`,
  d: DIGITS,
  r: `${DIGITS}${LOWER}${UPPER}!#%*+.^~`,
};
const WORDS =
  "heron maple copper lantern violet tunnel saddle pebble walnut harbor meadow falcon candle ribbon thunder cactus velvet anchor".split(
    " ",
  );
const PLACE = /\{([a-z])(\d*)\}/;

function draw(kind: string, length: number, rng: Rng): string {
  if (kind === "u") return [8, 4, 4, 4, 12].map((part) => draw("h", part, rng)).join("-");
  const word = (): string => WORDS[rng.int(WORDS.length)] ?? "";
  const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  // A password as people make them: a word or two, figures and a sign.
  if (kind === "p") {
    return [
      () => `${capital(word())}${draw("d", 4, rng)}!`,
      () => `${word()}-${capital(word())}${draw("d", 2, rng)}`,
      () => `${capital(word())}#${capital(word())}${draw("d", 1, rng)}`,
      () => `${word().replaceAll("a", "4").replaceAll("e", "3")}${draw("a", 6, rng)}`,
    ][rng.int(4)]?.() as string;
  }
  const letters = LETTERS[kind] as string;
  // One of each sort, so that a short one looks like what a generator gives.
  const text = Array.from({ length }, () => letters[rng.int(letters.length)] ?? "");
  for (const [at, sort] of [DIGITS, LOWER, UPPER].entries()) {
    const own = Array.from(sort).filter((letter) => letters.includes(letter));
    if (own.length > 0 && at + 1 < length) text[at + 1] = own[rng.int(own.length)] ?? "";
  }
  return kind === "b" ? `${text.join("")}${"=".repeat((4 - (length % 4)) % 4)}` : text.join("");
}

/** Each frame `times` times, with other values. */
export function framedSecrets(seed: string, frames: readonly string[], times: number): FramedSecret[] {
  const rng = createRng(seed);
  return frames.flatMap((frame) =>
    Array.from({ length: times }, () => {
      const [place, kind = "", length = ""] = PLACE.exec(frame) ?? [];
      if (place === undefined) throw new Error(`The frame has no place: ${frame}`);
      const secret = draw(kind, Number(length), rng);
      return { frame, secret, text: frame.replace(place, () => secret) };
    }),
  );
}

/** Whether more than half of it, and at least six letters in a row, can still be read. */
export function isLeft(secret: string, text: string): boolean {
  const length = Math.min(secret.length, Math.max(6, Math.ceil(secret.length / 2) + 1));
  return Array.from({ length: secret.length - length + 1 }, (_, at) => secret.slice(at, at + length)).some((piece) =>
    text.includes(piece),
  );
}

/** By which a corpus is frozen. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
