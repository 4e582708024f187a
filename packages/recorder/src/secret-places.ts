/**
 * Secrets by what stands beside them: a name, in any of the ways in which languages, files and people give it a value. The search goes from each
 * telling word outwards with expressions that start where they are put, so that a long text without one costs a single search.
 */
import { CODE, isChosen, isNamePath, isStandIn, looksSecret } from "./secret-values.ts";

/** Names of nothing but secrets: a value that may be a password is enough. */
const STRONG =
  "pass(?:word|wd|phrase|code|wort)|pwd|secrete?|(?:api|private|access|account|shared|storage|master|encryption|signing|client|service|admin|license)[_. -]?key|credentials?|creds|identified (?:with \\S{1,40} )?by|(?:sql|db|user|admin|root|my|smtp|mail|ftp)_?pass(?!ed|es|ing|ion|port|ive|age|w|phrase|code)|my_?pw|p(?:s{1,2}|as{1,2})wd|paa?s?swor[sdt]{1,2}|passwrd|requirepass|masterauth|root_?pw|pre-?shared-?key|kennwort|contrase[nñ]a|mot_?de_?passe|senha|пароль|密码|비밀번호|비번|암호|패스워드|パスワード";
/** Names that also stand for harmless things: the value must look drawn. Short ones are words of their own. */
const WEAK = "token|auth|jwt|cookie|bearer|pass|pw|pin|psk|key|salt|cred|sig|otp|sid|토큰";
const NAME = new RegExp(`(${STRONG})|(${WEAK})`, "gi");
const PASS = /^(?:pass|pw|pin|psk|cred)$/i;

/** The rest of a name: `password_super_secure`. */
const REST = /(?:[A-Za-z0-9_]|-(?=[A-Za-z0-9_])){0,40}/y;
/** What the name belongs to is not the secret itself. */
const OF_A_SECRET =
  /(?:file|path|dir|ur[il]|link|length|len|id|ids|hash|hashed|digest|count|limit|type|name|field|policy|min|max|size|ref|regex|pattern|format|label|title|text|hint|help|error|message|prompt|strength|expir\w*|ttl|age|version|alg\w*|usage|budget|index|list|map|set|table|store|manager|chars?|alphabet|letters|pairs?|signatures?|endpoint|usec|ms|rule|rules|reset|required|enabled|board|frame|word|words|stroke)$/i;
const OF_OTHERS =
  /(?:public|page|next|prev|max|min|num|per|csrf|xsrf|cancel\w{0,8}|sync|continuation|foreign|primary|sort|cache|partition|unique|hot|short|map|dict|row|group|data|object|registry|i18n|message|stop|pad|bos|eos|eot|mask|special|sep|cls|unk|new|event|for|by|trace|lookup|host|ssh|idempotency|routing|dedup\w*|cursor|hash|md5|sha\d*)[_. -]?$/i;

const PUBLIC = /(?:public|hash|md5|sha\d*|foreign|primary|partition|sort)[_. -]?$/i;

/** Between a name and its value: the end of a quoted name, a type, and what gives it the value; then what opens the value. */
const LINK = new RegExp(
  String.raw`(?:\[\w{0,10}\])?\\{0,8}["'${"`"}]?\]?\)?(?:` +
    String.raw`(?:(?:\s?:\s?[\w&'.<>?|[\]]{1,24}|\s[A-Za-z]{1,12})(?=\s{0,4}=))?\s{0,16}(={1,3}|!={1,2}|:{1,3}=|\?\?=|\|\|=|[?+.|]=|=>|->|<-|:|,|%3D)=?\s{0,4}(?:[|>][+-]?\s{1,40}|\s{0,20}-\s|\\\n\s{0,12})?` +
    String.raw`|\.assign\(|<\/\w{1,20}>\s{0,40}<\w{1,20}(>)|\b[^<>\n]{0,40}(>)\s{0,40}|["'\s,]{1,40}["']?value["']?\s?[:=]\s?|(\s{1,4})(?=["'])|(\s(?:is|was|ist)\s(?:now\s|set to\s)?|\s[057]\s|(?:\s|\\t){1,4}(?=\S)|\s?\(|\/(?=[A-Za-z0-9+/=_-]{20}))` +
    String.raw`)(?:@|[rbLfuBR]{1,2}(?=["']))?\\{0,8}(["'${"`"}])?`,
  "y",
);
const IN_QUOTES: Readonly<Record<string, RegExp>> = {
  '"': /[^"\\\n]{1,400}/y,
  "'": /[^'\\\n]{1,400}/y,
  "`": /[^`\\\n]{1,400}/y,
};
const UNQUOTED = /[^\s"'`,;)}\]<>|\\]{1,400}/y;

/** Where a value follows its name without a sign: settings of images, shells and servers, and what follows a user. */
const BARE =
  /(?:^|\n)\s{0,20}(?:ENV|ARG|setenv|set|enable)\s[\w-]{0,60}$|\b(?:login|user(?:name)?|account|uid)\s\S{1,60}\s{1,4}\w{1,10}$|(?:requirepass|masterauth|root_?pw|identified by)$/i;

/** Every value that a telling name is given. */
export function withoutNamed(text: string, mark: string): string {
  let clean = "";
  let from = 0;
  NAME.lastIndex = 0;
  for (const match of text.matchAll(NAME)) {
    const end = match.index + match[0].length;
    if (match.index < from) continue;
    const found = valueAfter(text, match.index, end, match[1] === undefined);
    if (found === undefined) continue;
    clean += text.slice(from, found.start) + mark;
    from = found.end;
  }
  return from === 0 ? text : clean + text.slice(from);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function valueAfter(text: string, start: number, end: number, weak: boolean): Place | undefined {
  if (weak && !isPartOfName(text, start, end)) return undefined;
  const rest = from(REST, text, end)?.[0] ?? "";
  if (OF_A_SECRET.test(rest) || (weak ? OF_OTHERS : PUBLIC).test(text.slice(Math.max(0, start - 16), start)))
    return undefined;
  const link = from(LINK, text, end + rest.length);
  if (link === null) return undefined;
  const [whole, operator, entry, element, , sentence, quote] = link;
  const begin = end + rest.length + whole.length;
  const value = from(quote === undefined ? UNQUOTED : (IN_QUOTES[quote] as RegExp), text, begin)?.[0];
  if (value === undefined || value.startsWith("[redacted")) return undefined;
  const isAssigned = operator !== undefined || (entry ?? element) !== undefined || /value/.test(whole);
  const isPlain = quote === undefined;
  if (isPlain && (!(isAssigned || sentence !== undefined) || /^(?:,|={2,3}|!={1,2}|->)$/.test(operator ?? "")))
    return undefined;
  if (isPlain && CALL.test(value)) return ofExpression(text, begin, weak);
  if (isPlain && (CODE.test(value) || isStandIn(value))) return undefined;
  const isNear = isPlain && /^(?:\s|\\t|\(|\/)+$/.test(sentence ?? "");
  if (isNear && !BARE.test(text.slice(Math.max(0, start - 80), end)) && !isShuffled(value)) return undefined;
  const name = text.slice(start, end);
  const isSecret =
    weak && !PASS.test(name)
      ? isDrawn(value) && !isStandIn(value) && !isNamePath(value)
      : sentence !== undefined && isPlain
        ? isPlainPassword(value) || (isChosen(value, 10) && isShuffled(value))
        : isChosen(value, isPlain ? 8 : 6) || (!weak && /^\d{16,40}$/.test(value));
  return isSecret ? { start: begin, end: begin + value.length } : undefined;
}

/** `getenv("KEY") ?? "…"`, `ENV['KEY'] || '…'`: what a program falls back on. */
const CALL = /^\(?[\w.$:]{1,80}[([]$/;
function ofExpression(text: string, begin: number, weak: boolean): Place | undefined {
  const rest = text.slice(begin, begin + 240).split("\n", 1)[0] ?? "";
  if (!/^\(?[\w.$:]{1,80}[([]/.test(rest)) return undefined;
  for (const { 0: quoted, 2: value = "", index } of rest.matchAll(ARGUMENT)) {
    const isSecret = weak ? isDrawn(value) && !isStandIn(value) && !isNamePath(value) : isChosen(value, 6);
    if (isSecret) return { start: begin + index + 1, end: begin + index + quoted.length };
  }
  return undefined;
}

/** Figures and letters by turns, as no word, number or version has them. */
function isShuffled(value: string): boolean {
  if (value.length < 8 || /^0x|^[0-9a-f]+$/i.test(value)) return false;
  const turns = value.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0;
  return turns >= (/[a-z]/.test(value) && /[A-Z]/.test(value) ? 2 : 3) && (turns >= 3 || !isNamePath(value));
}

/** Shorter ones have letters of every kind. */
function isDrawn(value: string): boolean {
  return (
    looksSecret(value) ||
    (looksSecret(value, 10) && /[a-z]/.test(value) && /[A-Z]/.test(value) && !/^\D+\d+$/.test(value))
  );
}

/** A word of its own, or a part of a name: `db_pass`, `authToken`, no `compass`. */
function isPartOfName(text: string, start: number, end: number): boolean {
  const [before = "", first = "", last = "", after = ""] = [start - 1, start, end - 1, end].map((at) => text[at]);
  const begins = !/[A-Za-z]/.test(before) || (/[a-z]/.test(before) && /[A-Z]/.test(first));
  return begins && (!/[a-z]/.test(after) || (/[A-Z]/.test(last) && /[A-Z]/.test(after)));
}

function from(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** `"…" == password`, and `… is the password`. */
const COMPARED = new RegExp(`(["'\`])([^"'\`\\n]{6,200})(?=\\1\\s?[!=]={1,2}\\s?[\\w.]{0,40}(?:${STRONG}))`, "gi");
const IS_CALLED = new RegExp(`\\s(?:is|was)\\s(?:the|my|our|your|a)\\s(?:\\w{1,12}\\s){0,2}(?:${STRONG})`, "i");
const CALLED = new RegExp(`([^\\s"'/;#*]{6,100})(?=${IS_CALLED.source})`, "gi");
/** Addresses of databases and brokers hold passwords with any letter. */
const DATABASE =
  /((?:mongodb(?:\+srv)?|postgres(?:ql)?|mysql|mariadb|redis|rediss|amqps?|mssql|oracle|couchbases?|clickhouse|cassandra|kafka|nats|ldaps?|s?ftp|smtps?|imaps?):\/\/[^\s/:@"']{0,100}:)([^\s@"']{1,300})(?=@)/g;
/** `10.0.0.7 (root / …)`, `id/pw: admin/…`, `credentials: admin:…`. */
const PAIRED = new RegExp(
  "((?:" +
    [
      String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?[\s,/(]{1,3}[\w.@-]{2,40}\s?/\s?`,
      String.raw`\b\w{0,10}(?:id|user(?:name)?|login|account|아이디|계정)\s?[/&,: (]\s?(?:pw|pwd|pass(?:word)?|passwd|비번)\b\)?\s?(?:[:=-]|->|\()?\s{0,3}["'(]?[\w.@-]{2,40}\s?[/:|,(\s]{1,4}`,
      String.raw`\b(?:id|user(?:name)?|login|log in|account|cred(?:ential)?s?)\b(?:\s(?:with|as|is|are))?\s?[:=]?\s{0,3}["'(]?[\w.@-]{2,40}\s?[/:|,]\s?`,
    ].join("|") +
    String.raw`))([^\s"'/()<>,;]{6,80})(?![\w/])`,
  "gi",
);
/** A call that opens something, and what it is given. */
const OPENED =
  /(?:connect(?:ion)?|log_?[io]n|logon|auth\w{0,16}|credentials?|basic_?auth|sign_?in|getenv|env_?or_?else|PDO|securestring|open_?session|set_?user)\s?[(=]?\s?\(?(?=["'$A-Za-z])([^()\n]{2,300})/gi;
const ARGUMENT = /(["'])([^"'\n]{6,100})(?=\1)/g;
/** `host:5432:shop:anna:…` of a file of passwords, `anna:…` of one of hashes. */
const LINE_OF_PASSWORDS =
  /^((?:[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w.-]{1,60}:)(?=\S{5,100}$)|[\w.-]{2,32}:(?=[./A-Za-z0-9]{13}$)(?=\S{0,12}[A-Z])(?=\S{0,12}[0-9]))(\S{5,100})$/gm;
/** Hashes of passwords, as systems keep them. */
const CRYPTED =
  /\{S?SHA\d{0,3}\}[A-Za-z0-9+/]{24,120}={0,2}|\$(?:1|2[aby]|5|6|7|y|apr1|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,12})\$[./A-Za-z0-9$=,+-]{20,200}/g;

export function withoutPlaced(text: string, mark: string): string {
  let clean = text;
  if (clean.includes("://")) {
    clean = clean.replace(DATABASE, (match: string, before: string, value: string) =>
      isStandIn(value) || value.startsWith("[redacted") ? match : before + mark,
    );
  }
  if (clean.includes("$")) clean = clean.replace(CRYPTED, mark);
  if (/kind["']?\s?:\s?["']?secret/i.test(clean)) clean = withoutManifest(clean, mark);
  if (/["'`]\s?[!=]=/.test(clean)) {
    clean = clean.replace(COMPARED, (match: string, quote: string, value: string) =>
      isChosen(value, 6) ? quote + mark : match,
    );
  }
  if (IS_CALLED.test(clean)) {
    clean = clean.replace(CALLED, (match: string) => (isPlainPassword(match) ? mark : match));
  }
  clean = clean
    .replace(PAIRED, (match: string, before: string, value: string) => (isPlainPassword(value) ? before + mark : match))
    .replace(LINE_OF_PASSWORDS, (match: string, before: string, value: string) =>
      isStandIn(value) ? match : before + mark,
    )
    .replace(
      OPENED,
      (match: string, given: string) => match.slice(0, match.length - given.length) + ofCall(given, mark),
    );
  return withoutNamed(clean, mark);
}

/** Without quotes a password must have more than figures among small letters. */
function isPlainPassword(value: string): boolean {
  return isChosen(value, 6) && /[A-Z!@#$%^&*+~]/.test(value);
}

/** The first argument is an address or a user, unless it looks drawn. */
function ofCall(given: string, mark: string): string {
  let count = 0;
  return given.replaceAll(ARGUMENT, (argument: string, quote: string, value: string) => {
    count += 1;
    return isChosen(value, 6) && (count > 1 || looksSecret(value)) ? quote + mark : argument;
  });
}

/** The values under `data:` of a Secret of Kubernetes. */
function withoutManifest(text: string, mark: string): string {
  let depth: number | undefined;
  return text
    .split("\n")
    .map((line) => {
      const indent = line.length - line.trimStart().length;
      if (depth !== undefined && line.trim() !== "" && indent <= depth) depth = undefined;
      if (depth === undefined) {
        if (/^\s{0,40}(?:stringData|data)["']?\s?:\s{0,10}$/.test(line)) depth = indent;
        return line;
      }
      return line.replace(
        /^(\s{0,80}(?:["']?[\w.-]{1,80}["']?:\s{1,8})?["']?)([^\s"'#|>{$][^\s"']{3,4000})/,
        (whole: string, before: string, value: string) =>
          value.startsWith("[redacted") || value.endsWith(":") ? whole : before + mark,
      );
    })
    .join("\n");
}
