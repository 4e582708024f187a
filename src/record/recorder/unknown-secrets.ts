/**
 * Secrets of nobody's list: words that only chance can have written. How sure that must be depends on what stands before them. After a word like
 * "key" or in the call that opens a client a hash will do; alone, a word must mix its letters as no name, path or number does. What is an
 * id, a hash or a signature by its name stays: records are tied together by those. Each word is looked at once.
 */

const WORD = /[A-Za-z0-9+/_~=-]{16,}/g;
/** Longer ones are files, not keys. */
const LONGEST = 600;
const BEFORE = 60;

/** What a secret is called, with at most three short words between: "my key is …", "authenticated with …". */
const TELLING =
  /(?:keys?|tokens?|secret|passw(?:or)?d|passphrase|passcode|pwd|credentials?|auth(?:enticated?|enticating|ori[sz]ed|ori[sz]ation|oriz)?|bearer|log(?:ged)?[ -]?in|sign(?:ed)? ?in|licen[cs]e|mnemonic|dsn|otp|pin)["'`)\]]?(?:\s{0,2}(?:[:=(,|]|=>|->|-(?=\s))|\s{1,2}(?:is|was|are|as|with|by|using|to|for|the|set|equals|of|here)\b){0,3}[\s"'`([<{]{0,4}$/i;
/** `new ShopClient("…")`, `connect('…')`, `Session(key='…')`. */
const OPENING =
  /(?:client|connect|session|api|login|auth\w{0,12}|service|provider|sdk|init|configure|setup)\s?\(\s{0,2}(?:\w{1,30}\s?[:=]\s?)?["'`]$/i;
/** `SHOP=…` of an environment. */
const SETTING = /(?:^|\s|export )([A-Z][A-Z0-9_]{1,60})=["']?$/;
/** Names of what is random and no secret. */
const HARMLESS_NAME =
  /(?:^|[^a-z]|[a-z](?=[A-Z]))(?:[a-z_-]*(?:ids?|uuid|guid|hash(?:es)?|sha-?\d{0,3}|md5|digest|checksum|crc|etag|commit|head|ref|rev(?:ision)?|version|build|tag|branch|cursor|fingerprint|signature|integrity|nonce|trace|span|parent|node|image|layer|object|tree|blob|data|content|encrypted_content|reasoning|seed|state|src|href|url|uri|path|file|filename|slug|resolved|thumbprint|serial|etag|boundary|ssid|bssid|mac|sum|key_?id))["'`]?\s{0,2}[:=]\s{0,2}["'`]?$/i;
/** How ids of calls, answers and hashes begin. */
const ID_PREFIX =
  /^(?:call|toolu|srvtoolu|chatcmpl|cmpl|resp|msg|run|thread|step|asst|file|fc|rs|req|item|evt|event|batch|conv|gen|chat|ft|ftjob|job|org|proj|user|sess|session|trace|span|sha1|sha224|sha256|sha384|sha512|md5|h1|vs|ig|ws|mcp|ctc|rsp|task|episode|traj|sandbox|container|pod|uuid|cache|blob|commit|image|img|layer|obj|object|tree|hash|sha|tmp|node|digest|build|rev|etag|doc|page|chunk|block|tx|txid|addr)[-_:=]/i;
/** In an address, before the question mark: pages are called by hashes. Those of hooks are known shapes. */
const IN_ADDRESS = /:\/\/[^\s"'<>?]*$/;
const HEX = /^(?:0x)?(?:[0-9a-f]+(?:-[0-9a-f]+)*|[0-9A-F]+)$/;
/** `shop_9f1d…`: whose it is, and a hash. */
const OWNED = /^[a-z]{2,12}_(?:[a-z]{2,8}_)?[0-9a-f]{32,128}$/;
const UUID = /^[0-9a-z]{7,11}(?:-[0-9a-z]{4,7}){3}-?[0-9a-z]{4,12}$/i;

/** The names of fields whose value stays whatever it looks like. */
export function isHarmlessName(name: string): boolean {
  return HARMLESS_NAME.test(`${name.slice(-BEFORE)}=`);
}

export function withoutUnknown(text: string, mark: string): string {
  return text.replace(WORD, (word: string, offset: number) => {
    if (word.length > LONGEST || !/[A-Za-z]/.test(word)) return word;
    const [assigned, start] = valueIn(word);
    const near = text.slice(Math.max(0, offset - BEFORE), offset);
    const before = near.slice(near.lastIndexOf("\n") + 1) + word.slice(0, start);
    const after = text[offset + word.length];
    const isLine = before.trim() === "" && (after === undefined || after === "\n" || after === "\r" || after === "\\");
    // A line of a certificate or of an attached file, by its width.
    if (isLine && (word.length === 64 || word.length === 76) && /[A-Z]/.test(word)) return word;
    return isSecret(assigned, before) ? word.slice(0, start) + mark : word;
  });
}

/** Of `name=value`, where "=" is no padding, the value. */
function valueIn(word: string): readonly [value: string, start: number] {
  const sign = word.replace(/=+$/, "").lastIndexOf("=");
  return [word.slice(sign + 1), sign + 1];
}

function isSecret(given: string, before: string): boolean {
  const word = given.replace(/^[/+=~_-]+/, "").replace(/[/=~_-]+$/, "");
  if (ID_PREFIX.test(word) || HARMLESS_NAME.test(before)) return false;
  const told = TELLING.test(before) || OPENING.test(before);
  if (HEX.test(word) || UUID.test(word)) return (told || SETTING.test(before)) && isMixed(word);
  const named = told || SETTING.test(before);
  const mixing = mixingOf(word, named);
  if (mixing === undefined || mixing.run < 12) return false;
  if (named) return mixing.length >= 16;
  return OWNED.test(word) || (mixing.length >= 28 && !IN_ADDRESS.test(before) && !isPath(word));
}

/** One of its folders is called by a word, or a hash follows a name. */
function isPath(word: string): boolean {
  if (word.includes("/") && word.split("/").some((part) => /^[a-z_-]{4,}$/.test(part))) return true;
  const parts = word.split(/[-/_~=+]/).filter((part) => part.length >= 5);
  return (
    parts.some((part) => /^[A-Za-z][a-z]{4,}$/.test(part)) && parts.every((part) => HEX.test(part) || isWord(part))
  );
}

function isWord(part: string): boolean {
  return /^[A-Za-z]+[0-9]{0,3}$/.test(part);
}

/** At least 8 different letters and digits, and some of each: a counter or a date is none. */
function isMixed(word: string): boolean {
  return (
    new Set(word).size >= 8 && (word.match(/[0-9]/g)?.length ?? 0) >= 3 && (word.match(/[a-z]/gi)?.length ?? 0) >= 3
  );
}

interface Mixing {
  /** Letters and digits. */
  readonly length: number;
  /** The longest piece without anything else between. */
  readonly run: number;
}

/**
 * Chance changes between small letters, capitals and digits at 0.62 of all places where it has all three, at 0.40 where it has digits and
 * one kind of letters. Names made of words do so where words meet. Undefined: too rarely for chance.
 */
function mixingOf(word: string, named: boolean): Mixing | undefined {
  let [length, changes, places, run, longest, same, wordy] = [0, 0, 0, 0, 0, 0, 0];
  const counts = { digit: 0, lower: 0, upper: 0 };
  let last: keyof typeof counts | undefined;
  for (const letter of word) {
    const kind =
      letter >= "0" && letter <= "9"
        ? "digit"
        : letter >= "a" && letter <= "z"
          ? "lower"
          : letter >= "A" && letter <= "Z"
            ? "upper"
            : undefined;
    if (kind === undefined) run = 0;
    else {
      counts[kind] += 1;
      length += 1;
      run += 1;
      longest = Math.max(longest, run);
      if (last !== undefined) places += 1;
      if (last !== undefined && last !== kind) changes += 1;
      same = last === kind ? same + 1 : 1;
      // The fourth small letter in a row makes a syllable of all four.
      if (kind === "lower" && same >= 4) wordy += same === 4 ? 4 : 1;
    }
    last = kind;
  }
  const three = counts.lower >= 3 && counts.upper >= 3;
  const [digits, changing, wordyShare] = [counts.digit / length, changes / places, wordy / length];
  if (three && wordyShare > 0.4) return undefined;
  // A name says that it is one: few digits will do, or none where capitals stand in the middle of everything.
  const loose =
    named && (counts.digit > 0 ? changing >= 0.15 && longest >= 16 : three && changing >= 0.45 && wordyShare <= 0.15);
  const least = three ? 0.42 : 0.24;
  const strict = counts.digit >= 2 && digits >= (three ? 0.04 : 0.1) && digits <= 0.6 && changing >= least;
  const mixes = strict || loose;
  // Letters that come again and again are a pattern, whatever they are.
  return mixes && new Set(word).size >= Math.min(12, length / 2) ? { length, run: longest } : undefined;
}
