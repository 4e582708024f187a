/** Secrets in command lines, by the place at which a program takes them: the word after an option, a part of a word, the last word. */
import { isStandIn } from "./secret-values.ts";

interface Program {
  readonly names: string;
  /** Words of which the next is a secret. */
  readonly next?: RegExp;
  /** A word in which everything after the match is a secret. */
  readonly attached?: RegExp;
  /** Words of which the next holds a user and a secret, and the sign between. */
  readonly pair?: readonly [RegExp, string];
  /** What must stand in the line. */
  readonly only?: RegExp;
  /** The last plain word is a secret. */
  readonly last?: boolean;
}

const LONG =
  /^--(?:[\w-]{0,30}-)?(?:password|passwd|pass|passphrase|passcode|secret|token|api-?key|access-key|private-key|auth-token|client-secret|key-pass|keypass|storepass)$/;
const LONG_ATTACHED =
  /^--(?:[\w-]{0,30}-)?(?:password|passwd|pass|passphrase|passcode|secret|token|api-?key|access-key|private-key|auth-token|client-secret)=/;
const NAMED =
  /(?:passw(?:or)?d|passphrase|secret|secret_access_key|session_token|_auth(?:Token|Password)?|token|api[_-]?key|credentials?)$/i;

/** What they take, as their manuals have it. */
const PROGRAMS: readonly Program[] = [
  { names: "curl|wget|http|https|xh|aria2c", pair: [/^(?:-\w{0,8}[ua]|--user|--proxy-user|--auth|-U)$/, ":"] },
  { names: "mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump|mycli", attached: /^-p(?=.)/ },
  { names: "sshpass", next: /^-p$/, attached: /^-p(?=.)/ },
  {
    names:
      "docker|podman|nerdctl|helm|oras|crane|buildah|skopeo|az|oc|cf|ibmcloud|twine|poetry|dotnet|nuget|snyk|rclone|doctl",
    next: /^(?:-p|-t|-Password)$/,
    only: /\b(?:login|auth|upload|registry|source|sources|publish|push|init)\b/,
  },
  { names: "skopeo|buildah|podman|crane", pair: [/^--(?:src-|dest-)?creds$/, ":"] },
  { names: "redis-cli|keydb-cli|valkey-cli", next: /^(?:-a|--pass)$/ },
  {
    names: "mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|cqlsh|influx|clickhouse-client",
    next: /^-p$/,
    attached: /^-p(?=\S{4})/,
  },
  {
    names: "sqlcmd|bcp|tsql|osql|mosquitto_pub|mosquitto_sub|ipmitool|zip|unzip",
    next: /^-P$/,
    attached: /^-P(?=\D\S{3})/,
  },
  {
    names: "ldapsearch|ldapadd|ldapmodify|ldapdelete|ldappasswd|ldapwhoami",
    next: /^-[ws]$/,
    attached: /^-w(?=\S{4})/,
  },
  {
    names: "smbclient|rpcclient|smbmap|net|wmiexec|cifs|mount|mount.cifs|smbget",
    pair: [/^(?:-U|--user)$/, "%"],
    attached: /^.{0,80}\b(?:password|pass)=/,
  },
  { names: "7z|7za|7zz|rar|unrar", attached: /^-h?p(?=\S{4})/ },
  {
    names: "openssl|gpg|gpg2|keytool|jarsigner|apksigner|cryptsetup",
    next: /^(?:-k|-storepass|-keypass|-srcstorepass|-deststorepass|--passphrase)$/,
    attached: /^(?:pass:|-p?pass:|--passphrase=)/,
  },
  { names: "lftp|ftp|ncftpput|ncftpget|ncftp", next: /^-p$/, pair: [/^-u$/, ","] },
  { names: "plink|pscp|psftp|putty|kitty", next: /^-pw$/ },
  { names: "xfreerdp|rdesktop|wfreerdp|net|cmdkey|psexec|runas", next: /^-p$/, attached: /^\/p(?:ass(?:word)?)?:/i },
  {
    names: "crackmapexec|netexec|nxc|evil-winrm|hydra|winexe|snmpwalk|snmpget|snmpset|rsync|svn|hg|nmcli|iwconfig",
    next: /^(?:-p|-A|-X|password|key)$/,
  },
  {
    names: "sqlplus|expdp|impdp|sqlldr|rman|exp|imp",
    pair: [/^(?:sqlplus|expdp|impdp|sqlldr|target|exp|imp|-[SL])$/, "/"],
  },
  {
    names: "aws|npm|pnpm|yarn|pip|pip3|git|gcloud|conda|composer|bundle|gem|snap|gh|glab|heroku|vercel|netlify|pulumi",
    next: NAMED,
    only: /\b(?:config|configure|set|secret|secrets)\b/,
    attached: /^[\w./:@-]{0,120}(?:password|secret|token|_auth(?:Token|Password)?|api_?key)=/i,
  },
  {
    names: "kubectl|oc|vault|consul|etcdctl|bws|op|chamber",
    attached: /^(?:--from-literal=)?[\w.-]{0,60}(?:pass(?:word|wd)?|secret|token|key|credentials?)=/i,
  },
  {
    names: "vault|wandb|ngrok|cargo|ncli|flyctl|tailscale|cloudflared|travis|hub|jfrog|snyk",
    last: true,
    only: /\b(?:login|authtoken|add-authtoken|auth|up|install)\b/,
  },
  { names: "htpasswd", last: true, only: /\s-\w{0,6}b/ },
  {
    names: "rabbitmqctl|wpa_passphrase|kpasswd|htdigest|chpasswd",
    last: true,
    only: /\b(?:add_user|change_password|authenticate_user|wpa_passphrase)\b/,
  },
  { names: "ConvertTo-SecureString", next: /^-(?:String|Force|AsPlainText)$/ },
  { names: "useradd|usermod|adduser", next: /^(?:-p|--password)$/ },
];

const EVERY = new RegExp(
  `(?<![\\w.=-])(${[...new Set(PROGRAMS.flatMap(({ names }) => names.split("|")))].map((name) => name.replace(".", "\\.")).join("|")})(?:\\.exe)?(?=\\s)`,
  "g",
);
const BY_NAME = new Map<string, Program[]>();
for (const program of PROGRAMS)
  for (const name of program.names.split("|")) BY_NAME.set(name, [...(BY_NAME.get(name) ?? []), program]);

/** A word of a line, with the quotes around its parts; a line goes on after a backslash. */
const SHELL_WORD =
  /(?:"(?:[^"\\\n]|\\.){0,400}"|'[^'\n]{0,400}'|\\["'][^"'\\\n]{0,400}\\["']|[^\s"'|;&<>\\]|\\[^\s]|&(?!&)(?=\S)){1,200}/y;
const BETWEEN = /(?:[ \t]|\\\r?\n|\\n[ \t]{0,8}){1,40}/y;
const MOST_WORDS = 60;
const LONGEST = 4_000;

interface Word {
  readonly start: number;
  readonly raw: string;
}

export function withoutArguments(text: string, mark: string): string {
  let clean = "";
  let from = 0;
  for (const match of text.matchAll(EVERY)) {
    if (match.index < from) continue;
    const words = wordsAfter(text, match.index + match[0].length);
    const line = text.slice(match.index, endOf(words, match.index + match[0].length));
    const found = (BY_NAME.get(match[1] as string) ?? [])
      .filter(({ only }) => only?.test(line) !== false)
      .flatMap((program) => secretsIn(program, [{ start: match.index, raw: match[1] as string }, ...words]))
      .sort(([left], [right]) => left - right);
    for (const [start, end] of found) {
      if (start < from) continue;
      clean += text.slice(from, start) + mark;
      from = end;
    }
  }
  return withoutPiped(from === 0 ? text : clean + text.slice(from), mark);
}

function endOf(words: readonly Word[], otherwise: number): number {
  const last = words.at(-1);
  return last === undefined ? otherwise : last.start + last.raw.length;
}

function wordsAfter(text: string, start: number): Word[] {
  const words: Word[] = [];
  let at = start;
  while (words.length < MOST_WORDS && at - start < LONGEST) {
    BETWEEN.lastIndex = at;
    const gap = BETWEEN.exec(text);
    if (gap === null) break;
    at += gap[0].length;
    SHELL_WORD.lastIndex = at;
    const word = SHELL_WORD.exec(text)?.[0];
    if (word === undefined) break;
    words.push({ start: at, raw: word });
    at += word.length;
  }
  return words;
}

function secretsIn(
  { next, attached, pair, last }: Program,
  words: readonly Word[],
): (readonly [start: number, end: number])[] {
  const found: (readonly [start: number, end: number])[] = [];
  const take = (word: Word, skip: number): void => {
    const place = inner(word, skip);
    if (place !== undefined) found.push(place);
  };
  for (const [at, word] of words.entries()) {
    const follower = words[at + 1];
    const plain = word.raw.replaceAll(/^\\?["']|\\?["']$/g, "");
    if (follower !== undefined && (next?.test(plain) === true || LONG.test(plain))) take(follower, 0);
    const before = (attached?.exec(plain) ?? LONG_ATTACHED.exec(plain))?.[0];
    if (before !== undefined && at > 0) take(word, before.length + word.raw.indexOf(plain));
    if (pair === undefined) continue;
    const [option, sign] = pair;
    // `-u user:secret`, `--user=user:secret`.
    const same = /^--?[\w-]{1,20}=/.exec(plain)?.[0];
    const holder =
      follower !== undefined && option.test(plain)
        ? follower
        : same !== undefined && option.test(same.slice(0, -1))
          ? word
          : undefined;
    if (holder === undefined) continue;
    const begin = holder === word ? (same?.length ?? 0) : 0;
    const split = holder.raw.indexOf(sign, begin);
    if (split < 0) continue;
    // Where nothing stands after the sign, what is before it is the key.
    const isLast = /^\\?["']?$/.test(holder.raw.slice(split + 1));
    if (isLast) {
      const key = { start: holder.start, raw: holder.raw.slice(0, split) };
      if (/\d/.test(key.raw) && key.raw.length >= 8) take(key, begin);
    } else take(holder, split + 1);
  }
  const final = words.at(-1);
  if (last === true && final !== undefined && words.length > 2 && /\d/.test(final.raw) && final.raw.length >= 8)
    take(final, 0);
  return found;
}

/** The place of a word's value, without the quotes around it. */
function inner({ start, raw }: Word, skip: number): readonly [number, number] | undefined {
  let [from, to] = [skip, raw.length];
  from += /^(?:\\?["'])?(?:[@/](?=$))?/.exec(raw.slice(from))?.[0].length ?? 0;
  const close = /\\?["']$/.exec(raw.slice(from, to))?.[0];
  if (close !== undefined) to -= close.length;
  const value = raw.slice(from, to);
  if (value.length < 4 || value.startsWith("-") || value.startsWith("[redacted") || isStandIn(value)) return undefined;
  return [start + from, start + to];
}

/** `echo X | docker login --password-stdin`, `echo X | sudo -S …`, `echo user:X | chpasswd`. */
const PIPED =
  /(\b(?:echo|printf)\s(?:-n\s|"%s" |'%s\\n' )?["']?(?:[\w.-]{1,40}:(?=[^|\n]{1,120}chpasswd))?)([^\s"'|$\\][^\s"'|]{3,200})(?=["']?\s?\|\s?(?:sudo\s(?:-S|chpasswd)|chpasswd|passwd\s--stdin|gh auth login|[\w.-]{1,20}\s[^|\n]{0,100}(?:--password-stdin|--with-token|-S\b|--passphrase-fd 0|--stdin)))/g;

function withoutPiped(text: string, mark: string): string {
  if (!text.includes("|")) return text;
  return text.replace(PIPED, (match: string, before: string, value: string) =>
    isStandIn(value) ? match : before + mark,
  );
}
