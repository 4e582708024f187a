/**
 * What a secret looks like: keys of common providers by their prefix, tokens by their form, values by their name, and
 * e-mail addresses. Every quantifier is bounded and none is nested, so the built-in engine stays linear here.
 */

import { SECRET_SHAPES } from "./secret-shapes.ts";

const MARK = (kind: string): string => `[redacted ${kind}]`;

/**
 * Prefixed keys: OpenAI and those that copied it, Anthropic, OpenRouter, Langfuse, Google, AWS, GitHub, GitLab, Slack,
 * Stripe, Hugging Face, Groq, xAI, Perplexity, Replicate, NVIDIA, Fireworks, Cerebras, Tavily, LangSmith, npm, PyPI,
 * SendGrid, Twilio, Shopify, DigitalOcean, Databricks, Supabase, Linear, Notion, Figma, Doppler, Grafana, and tokens in
 * the form of a JWT.
 */
const KEYS = new RegExp(
  [
    "[sp]k-[A-Za-z0-9_-]{16,300}",
    "AIza[A-Za-z0-9_-]{30,80}",
    "ya29\\.[A-Za-z0-9_-]{20,400}",
    "(?:AKIA|ASIA|AROA|ABIA|ACCA)[A-Z0-9]{12,30}",
    "gh[opsur]_[A-Za-z0-9]{20,300}",
    "github_pat_[A-Za-z0-9_]{20,300}",
    "gl(?:pat|rt|oas)-[A-Za-z0-9_.-]{16,300}",
    "xox[abeprs]-[A-Za-z0-9-]{10,300}",
    "xapp-[A-Za-z0-9-]{10,300}",
    "[sprw]h?k_(?:live|test)_[A-Za-z0-9]{10,300}",
    "whsec_[A-Za-z0-9+/=]{16,300}",
    "hf_[A-Za-z0-9]{20,100}",
    "(?:gsk|r8|fw|lin_api|ntn|secret|dop_v1|sbp|glsa|lsv2_pt|lsv2_sk|shp(?:at|ca|pa|ss)|npm|figd)_[A-Za-z0-9_-]{20,300}",
    "(?:xai|pplx|nvapi|csk|tvly|pypi|glc|dapi|tvly-dev|pcsk|jina|exa|e2b|voyage)[-_][A-Za-z0-9_-]{16,300}",
    "dapi[a-f0-9]{28,40}",
    "dp\\.(?:pt|st|ct)\\.[A-Za-z0-9._-]{20,200}",
    "SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}",
    "(?:SK|AC)[a-f0-9]{32}",
    // Only where a word begins: a long run of "eyJ" would be searched again from each.
    "(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}\\.[A-Za-z0-9_-]{10,4000}(?:\\.[A-Za-z0-9_-]{0,4000})?",
  ].join("|"),
  "g",
);

const SHAPES = SECRET_SHAPES.map(([, holds, expression]) => ({ holds, expression: new RegExp(expression, "g") }));

/** What the rarer forms have in common; most texts have none of it. */
const HINTS = /key|secret|passw|pwd|passphrase|token|authori|credential|bearer|basic|cookie|session|:\/\//i;

const BEARER = /\b(bearer|basic)(\s{1,4})([A-Za-z0-9._~+/=-]{12,4000})/gi;
/** user:password in a URL. */
const URL_PASSWORD = /(:\/\/[^\s/:@"']{0,100}):([^\s/@"']{1,300})@/g;
const NAMES =
  "api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|password|passwd|pwd|passphrase|" +
  "private[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|session[_-]?token|bearer[_-]?token|authorization|credentials?";
/** `"password": "…"`, also where the quotes are escaped: once in JSON inside JSON, and doubled at each level more. */
const QUOTED = new RegExp(
  `((?:${NAMES})\\\\{0,16}["']\\s{0,4}[:=]\\s{0,4}\\\\{0,16}["'])([^"'\\\\\\s][^"'\\\\]{0,2000})`,
  "gi",
);
/** `API_KEY=…` and `password: …`, where the value is long enough to be one. */
const ASSIGNED = new RegExp(`((?:${NAMES})\\s{0,4}[:=]\\s{0,4}["']?)([^\\s"',;&\\[][^\\s"',;&]{7,2000})`, "gi");
/** Names that also stand for harmless things, above all in records of models: what they hold must look like a secret. */
const WEAK_NAMES = "token|auth|jwt|cookie";
const WEAK = new RegExp(
  `((?<![A-Za-z])(?:[A-Za-z0-9]{1,40}[_-]){0,4}(?:${WEAK_NAMES})\\\\{0,16}["']?\\s{0,4}[:=]\\s{0,4}\\\\{0,16}["']?)([A-Za-z0-9._~+/=|%:-]{12,4000})`,
  "gi",
);
/** `apiToken`, `authToken`: the word begins in the middle of a name. */
const WEAK_CAMEL = /([a-z]Token\\{0,16}["']?\s{0,4}[:=]\s{0,4}\\{0,16}["']?)([A-Za-z0-9._~+/=|%:-]{12,4000})/g;
/** `SERVICE_ADMIN_KEY=…` of an environment: the capitals say that it is a setting. */
const SETTING =
  /(\b[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){0,4}_(?:KEY|PASS|PW|SALT|CRED)=["']?)([A-Za-z0-9._~+/=|%:-]{12,4000})/g;
/** `Authorization: Token …`, whatever the scheme is called. */
const AUTHORIZATION = /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?[A-Za-z0-9-]{2,20}\s{1,4})([^\s"'[]{6,4000})/gi;
/** Every value of a line of cookies. */
const COOKIES = /(\b(?:set-)?cookie["']?\s{0,4}[:=]\s{0,4}["']?[\w.-]{1,60}=)([^\n"'[]{6,4000})/gi;
/** `--password X` and `--token=X` of a command line. */
const FLAGS = new RegExp(`(--(?:[a-z0-9]{1,20}-){0,3}(?:${NAMES})[ =]{1,2}["']?)([^\\s"'$<[-][^\\s"']{3,2000})`, "gi");
const WEAK_FLAGS = /(--(?:[a-z0-9]{1,20}-){0,3}(?:token|pass|auth)[ =]{1,2}["']?)([A-Za-z0-9._~+/=|%:-]{12,2000})/gi;
/** A field whose name says that its value is a secret. */
const SECRET_FIELD = new RegExp(`^(?:[a-z0-9]{1,40}[_-]){0,4}(?:${NAMES})$`, "i");
const WEAK_FIELD = new RegExp(`^(?:x[_-])?(?:[a-z0-9]{1,40}[_-]){0,4}(?:${WEAK_NAMES}|set[_-]cookie)$`, "i");

export function isSecretField(name: string, value: string): boolean {
  if (name.length >= 200) return false;
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1_$2");
  return SECRET_FIELD.test(words) || (WEAK_FIELD.test(words) && looksSecret(value.trim()));
}

/** Long, without spaces, letters and digits mixed, and no letter again and again: 3 bits a letter and more. */
function looksSecret(value: string): boolean {
  if (value.length < 12 || /\s/.test(value) || !/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits >= 3;
}

export const SECRET_VALUE = MARK("secret");

export function withoutKeys(text: string): string {
  let clean = text.replace(KEYS, (match: string, offset: number) =>
    // After its prefix a key has more than small letters: `jina_reader_url_prefix` is a name.
    (offset > 0 && /[A-Za-z0-9]/.test(text[offset - 1] ?? "")) || !/[A-Z0-9]/.test(match.slice(3))
      ? match
      : MARK("key"),
  );
  for (const { holds, expression } of SHAPES) {
    if (!clean.includes(holds)) continue;
    const before = clean;
    clean = before.replace(expression, (match: string, offset: number) =>
      offset > 0 && /[A-Za-z0-9]/.test(match[0] ?? "") && /[A-Za-z0-9]/.test(before[offset - 1] ?? "")
        ? match
        : MARK("key"),
    );
  }
  if (!HINTS.test(clean)) return clean;
  if (clean.includes("PRIVATE KEY")) clean = withoutPrivateKeys(clean);
  if (clean.includes("://")) clean = clean.replace(URL_PASSWORD, urlPassword);
  return clean
    .replace(BEARER, (match: string, scheme: string, gap: string, value: string) =>
      /\d/.test(value) || value.length > 30 ? `${scheme}${gap}${MARK("token")}` : match,
    )
    .replace(QUOTED, unlessStandIn)
    .replace(AUTHORIZATION, ifSecret)
    .replace(ASSIGNED, unlessCode)
    .replace(FLAGS, unlessCode)
    .replace(WEAK_FLAGS, ifSecret)
    .replace(COOKIES, `$1${SECRET_VALUE}`)
    .replace(WEAK, ifSecret)
    .replace(SETTING, ifSecret)
    .replace(WEAK_CAMEL, ifSecret);
}

/** `$PASSWORD` and `…` stand for one. */
const STANDS_FOR = /^(?:\$\{?[A-Z][A-Z0-9_]{0,60}\}?|…|<[a-z -]{1,40}>|[A-Z]{2,20})$/;
/** `secret: string): boolean`, `apiKey = environment["KEY"]`, `key: options.apiKey`: the source of a program, not a value. */
const CODE = /^[A-Za-z_$][\w$.?!]{0,200}[([{)<>\]}]|^[*&][A-Za-z_]|\$\{|^[A-Za-z_$]{1,60}(?:\.[A-Za-z_$]{1,60}){1,8}$/;

/** `your_key_here`, `<the key>`, `dummy-key`, and the name of a variable that is handed on: `api_key=shop_api_key`. */
const STAND_IN =
  /^<[\w -]{1,60}>$|(?:^|[^a-z])(?:your|dummy|example|placeholder|changeme|redacted|x{3,}|here|fake|(?:my|some|the)[-_ ]?(?:secret|token|key|password)|secret[-_]value)(?:[^a-z]|$)|^\{[^}]{0,60}\}?$/i;
const HANDED_ON =
  /^[A-Za-z_]{0,60}(?:api_?key|_key|token|secret|password|passwd|credentials?|auth)s?(?:[.?!)\]}:\\`][^0-9]{0,200})?$/i;

function unlessStandIn(match: string, name: string, value: string): string {
  return STAND_IN.test(value) ? match : `${name}${SECRET_VALUE}`;
}

function urlPassword(match: string, before: string, value: string): string {
  const isStandIn = STANDS_FOR.test(value) || STAND_IN.test(value) || /^pass(?:word|wd)?$/i.test(value);
  return isStandIn ? match : `${before}:${MARK("password")}@`;
}

function unlessCode(match: string, name: string, value: string): string {
  const isCode = STANDS_FOR.test(value) || CODE.test(value) || STAND_IN.test(value) || HANDED_ON.test(value);
  // `password = taken_from_file`: a name without a figure, as programs hand it on; and "the --password option" of a page.
  const isName = /\s=\s$/.test(name) && /^[A-Za-z_]+[.)]?$/.test(value);
  const isProse =
    name.startsWith("--") && /^(?:options?|flags?|arguments?|parameters?|values?|and|or|is|for)\b/.test(value);
  return isCode || isName || isProse ? match : `${name}${SECRET_VALUE}`;
}

function ifSecret(match: string, name: string, value: string): string {
  return looksSecret(value) ? `${name}${SECRET_VALUE}` : match;
}

/** `BEGIN RSA PRIVATE KEY`, `END PGP PRIVATE KEY BLOCK`; the dashes may be cut off. */
const KEY_LINE = /-{0,5}(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{0,5}/g;
/** Blocks from BEGIN to END, or to the end of the text where the END is missing: half a key is a key. */
function withoutPrivateKeys(text: string): string {
  let clean = "";
  let [from, begin]: [number, number | undefined] = [0, undefined];
  for (const { index, 0: line, 1: kind } of text.matchAll(KEY_LINE)) {
    if (kind === "BEGIN") {
      begin ??= index;
      continue;
    }
    clean += text.slice(from, begin ?? keyBefore(text, from, index)) + MARK("private key");
    [from, begin] = [index + line.length, undefined];
  }
  if (begin === undefined) return clean + text.slice(from);
  return clean + text.slice(from, begin) + MARK("private key");
}

/** Where the lines of a key begin whose BEGIN is cut off: back over what has no spaces and is long, but for the last line. */
function keyBefore(text: string, from: number, end: number): number {
  let start = end;
  for (let words = 0; start > from; words += 1) {
    let stop = start;
    while (stop > from && GAP.test(text[stop - 1] ?? "")) stop -= 1;
    let begin = stop;
    while (begin > from && KEY_LETTER.test(text[begin - 1] ?? "")) begin -= 1;
    if (begin === stop || (words > 0 && stop - begin < 16)) break;
    start = begin;
  }
  return start;
}
const GAP = /\s|\\/;
const KEY_LETTER = /[A-Za-z0-9+/=]/;

const LOCAL_PART = /[A-Za-z0-9._%+'-]/;
/** Letters of every script count: addresses are international. */
const LOCAL_LETTER = /[\p{L}\p{N}]/u;
const DOMAIN = /(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}-]{2,63}/uy;

/** From each "@" (or "%40", as it stands in URLs) outwards, so that a long text without one costs a single search. */
export function withoutEmails(text: string): string {
  let clean = "";
  let from = 0;
  for (const sign of text.matchAll(/@|%40/g)) {
    let start = sign.index;
    while (start > from && sign.index - start < 64 && isLocal(text[start - 1] ?? "")) start -= 1;
    if (start === sign.index || sign.index < from) continue;
    const after = sign.index + sign[0].length;
    DOMAIN.lastIndex = after;
    const domain = DOMAIN.exec(text)?.[0];
    if (domain === undefined) continue;
    clean += text.slice(from, start) + MARK("email");
    from = after + domain.length;
  }
  return from === 0 ? text : clean + text.slice(from);
}

function isLocal(letter: string): boolean {
  return LOCAL_PART.test(letter) || (letter > "\u007f" && LOCAL_LETTER.test(letter));
}
