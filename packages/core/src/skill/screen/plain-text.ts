/**
 * Text as it would be read aloud: changes to letters that hide words from a list are undone.
 * All of it is linear in the length of the text.
 */
import { cutWords } from "limbeck-base/base/words";

/** Letters that are not seen, or that turn the direction of the line. */
const INVISIBLE = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Cyrillic, Armenian, Greek and small capital letters, and the plain ones that they look like, in the same order. */
const FOREIGN = Array.from("аеорсухіјѕԁոκмтвнαερνοτιυχıłøđᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢ");
const LATIN = Array.from("aeopcyxijsdnkmtbhaepvotiuxilodabcdeghijklmnoprtuvwyz");
const PLAIN = new Map(FOREIGN.map((letter, at) => [letter, LATIN[at] as string]));

export function holdsInvisible(text: string): boolean {
  return text.search(INVISIBLE) !== -1;
}

/** The first word that has Latin letters and such of another script that look like them; no such words are written. */
export function mixedWord(text: string): string | undefined {
  const words =
    text
      .normalize("NFKC")
      .replaceAll(INVISIBLE, "")
      .match(/[\p{L}\p{M}]{4,}/gu) ?? [];
  return words.find(
    (word) => /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(word),
  );
}

/** Lower case, without accents, escapes, invisible and look-alike letters; lines stay lines. */
export function plainText(text: string): string {
  const letters = unescaped(text)
    .normalize("NFKC")
    .replaceAll(INVISIBLE, "")
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFC");
  let plain = "";
  for (const letter of letters) plain += PLAIN.get(letter) ?? letter;
  return plain
    .replaceAll("ß", "ss")
    .replaceAll(/[‘’ʼ`´]/g, "'")
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?[([{] ?at ?[)\]}] ?/g, "@")
    .replaceAll(/ ?[([{] ?dot ?[)\]}] ?/g, ".");
}

export function plainWords(plain: string): string[] {
  return cutWords(plain, { lower: false });
}

/** &#105; &#x69; \u0069 and %69 for letters of ASCII. */
function unescaped(text: string): string {
  const letter = (whole: string, digits: string, base: number): string => {
    const code = Number.parseInt(digits, base);
    return code >= 32 && code < 127 ? String.fromCodePoint(code) : whole;
  };
  return text
    .replaceAll(/&#(\d{2,3});/g, (whole, digits: string) => letter(whole, digits, 10))
    .replaceAll(/&#x([0-9a-f]{2});/gi, (whole, digits: string) => letter(whole, digits, 16))
    .replaceAll(
      /\\u00([0-9a-f]{2})|\\x([0-9a-f]{2})|%([0-9a-f]{2})/gi,
      (whole, one?: string, two?: string, three?: string) => letter(whole, one ?? two ?? three ?? "", 16),
    );
}

const LEET = new Map(Array.from("013457@$!|").map((sign, at) => [sign, "oieastasii".charAt(at)]));

const REVERSED = ["noitcurtsni", "selur", "drowssap", "tpmorp", "terces", "yek", "nekot", "tnega"];

/** The plain text and, where there is reason to, the same with letters for digits, without marks inside words, backwards. */
export function readings(plain: string): string[] {
  const found = [plain];
  const joined = plain.replaceAll(/(?<=\p{L})[-*_.~|\\]{1,4}(?=\p{L})/gu, "");
  if (joined !== plain) found.push(joined);
  if (/[a-z][013457@$!|]{1,4}[a-z]/.test(plain)) {
    const spelt = (text: string): string => text.replaceAll(/[013457@$!|]/g, (sign) => LEET.get(sign) ?? sign);
    found.push(spelt(plain), spelt(plain.replaceAll("1", "l")));
  }
  if (REVERSED.some((word) => plain.includes(word))) found.push(Array.from(plain).reverse().join(""));
  return found;
}

const LEAST_ENCODED = 16;
const MOST_ENCODED = 64;

/** Readable texts that stand encoded in this one, in base64 or as hexadecimal numbers. */
export function decodedTexts(text: string): string[] {
  const found: string[] = [];
  const runs = text.replaceAll(INVISIBLE, "").match(/[A-Za-z0-9+/_-]{16,}={0,2}/g) ?? [];
  for (const run of runs.slice(0, MOST_ENCODED)) {
    for (const encoding of /^(?:[0-9a-f]{2})+$/i.test(run) ? (["hex", "base64"] as const) : (["base64"] as const)) {
      const decoded = Buffer.from(run, encoding).toString("utf8").replaceAll("\0", "");
      if (decoded.length * 3 >= LEAST_ENCODED && isWriting(decoded)) found.push(decoded);
    }
  }
  return found;
}

/** Letters and spaces as in a sentence or a command: a name that only looks encoded gives none of that. */
function isWriting(text: string): boolean {
  const told = text.replaceAll(/[\p{L}\p{N}\s.,:;!?'"()/@_=$-]/gu, "");
  return told === "" && /[a-z]{2}/i.test(text) && /^[\x20-\x7e\s]*$/.test(text);
}
