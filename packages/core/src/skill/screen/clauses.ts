/** A text as clauses, with the places of the words that mean something; and questions about how close they stand. */
import { PLACE } from "./addresses.ts";
import { plainText } from "./plain-text.ts";

// Words by what they are about, in several languages. A star stands for any ending. Single words say nothing: `intents.ts`
// looks for words of several kinds close together.

const WORDS = {
  /** Leaving instructions aside. */
  override:
    "ignor*, disregard*, forget*, overrid*, overrul*, bypass*, circumvent*, skip*, neglect*, set aside, put aside, pay no attention, unlearn*, evade, violat*, abandon*",
  /** The same in other languages, many of which put it last. */
  ignorieren:
    "ignorier*, vergiss, missacht*, umgeh*, oubli*, contourn*, olvid*, descart*, dimentic*, trascur*, esquec*, desconsider*, negeer*, vergeet, zignoruj*, zapomnij, pomin, " +
    "игнорир*, проигнорир*, забуд*, 忽略, 无视, 無視, 忘记, 忘れ, 무시, 잊, تجاهل, انس, yok say*, unut*, gormezden, abaikan, lupakan, glom, אל תתייחס, התעלם, अनदेखा, αγνοησ*, bo qua, ignoruj*",
  /** The same, of words that have other uses too. */
  lapse:
    "cancelled, canceled, void, lifted, break, drop, suspended, no longer apply, no longer valid, do not apply, don't apply, outdated, not bound, aufgehoben, ungultig, annul*",
  rules:
    "instruction*, rule, rules, prompt, prompts, guideline*, guidance, policy, policies, directions, directive*, restriction*, constraint*, limitation*, your safety, all safety, safety filter*, safety measure*, safety protocol*, ethics, ethical, protocols, previous command*, prior command*, earlier command*, guardrail*, guard rails, guard rail, safeguard*, programming, what you were told, " +
    "anweisung*, regel, regeln, vorgabe*, richtlinie*, vorschrift*, befehle, consigne*, regle*, instruccion*, regla*, istruzion*, regole, instrucoes, instruco*, regras, diretriz*, instructies, regels, richtlijn*, polecen*, instrukcj*, zasad*, " +
    "инструкц*, правил*, указан*, 指令, 指示, 规则, 規則, 命令, 说明, ルール, 지시, 규칙, 명령, تعليمات, قواعد, اوامر, talimat*, kural*, petunjuk, instruksi, aturan, instruktioner, regler, הוראות, निर्देश, οδηγι*, pokyny, chi dan",
  /** Whose they are. */
  own: "your, previous, prior, former, above, usual, normal, earlier, existing, given, original, initial, present, these",
  prior: "above, previous*, prior, earlier, before, former*, foregoing, preceding, so far, up to now",
  told: "told, said, asked, given, learned, learnt, know, read",
  all: "everything, anything, whatever, all of it, every word",
  comply: "follow*, obey*, abide*, comply, complying, adher*, heed*, respect*, listen*, befolg*, suis, sigas, seguir",
  stop: "stop, stops, cease, quit, refuse, need not, no longer, never, not, don't, dont, cannot",
  fresh:
    "new, updated, real, actual, true, hidden, secret, important, urgent, revised, additional, neue, neuen, nouvelles, nuevas, новые, 新的, 新しい",
  aim: "objective*, mission, task, goal, purpose, job",
  secret:
    "password*, passwd*, passphrase*, passcode*, credential*, api key*, apikey*, access token*, auth token*, bearer token*, session token*, secret token*, session cookie*, session id*, refresh token*, private key*, ssh key*, secret key*, " +
    "signing key*, encryption key*, client secret*, secrets, one time code*, one time password*, otp*, 2fa code*, verification code*, security code*, pin code*, pin number*, the pin, cvv, cvc, card number*, seed phrase*, recovery phrase*, recovery code*, " +
    "mnemonic, login detail*, login data, admin login*, log in detail*, social security number*, id rsa, etc passwd, etc shadow, document cookie, browser cookies, all cookies, aws secret*, " +
    "passwort*, kennwort*, zugangsdaten, geheimzahl, mot de passe, mots de passe, identifiants, cle api, cle privee, cle d'api, contrasena*, clave, claves, clave api, credencial*, senha*, chave api, parola d'ordine, credenzial*, wachtwoord*, haslo*, hasla, " +
    "парол*, ключ api, секретн*, 密码, 密碼, 口令, 密钥, 密鑰, パスワード, 暗証番号, 秘密鍵, 비밀번호, 암호, كلمة المرور, كلمة السر, sifre*, parola*, kata sandi, mat khau, losenord*, heslo*, lozink*, סיסמה, סיסמא, पासवर्ड, κωδικο*",
  /** Weaker: with a sender only. */
  keepsake:
    "token, tokens, cookie, cookies, key, keys, secret, environment variable*, env, configuration, config, memo, notes, memory, conversation*, transcript*, history, prompt",
  /** After or before a secret these make it a thing that everybody speaks of. */
  neutral:
    "reset*, policy, policies, field*, form, page, strength, length, rule, rules, hint, manager, requirement*, change*, changing, recovery, expir*, rotat*, generator, link, email, mail, forgot*, forgotten, update*, revok*, renew*, set, box, input, shorter, longer, zuruck*, zurucksetz*, setze, andern, reinitialis*, restablec*, cambia*",
  take: "read*, get, gets, getting, fetch*, find, finds, look up, lookup, open, opens, retriev*, obtain*, collect*, gather*, extract*, ask*, request*, demand*, cat, save, saves, store, stores, steal*, harvest*, captur*, grab*, lies, liest, lire, lee, leer, 读取, 读, 読, 読み取",
  give:
    "send*, sent, post, posts, posting, upload*, mail, mails, mailed, email, emails, emailed, forward*, transmit*, share, shares, sharing, leak*, exfiltrat*, paste*, pasting, includ*, append*, attach*, reveal*, disclos*, expos*, print*, output*, echo*, dump*, publish*, " +
    "show, shows, display*, tell, tells, say, says, hand over, hands over, give me, give us, give out, copy, copies, copying, export*, repeat*, submit*, report, reports, recite*, spill*, read out, read aloud, quote",
  /** The same in other languages, many of which put it last. */
  zeigen:
    "sende*, schick*, ubermittl*, zeig*, verrat*, nenne, envoi*, envoy*, affich*, montr*, donne*, revel*, envia*, envie*, envio*, manda*, muestra*, mostra*, invia*, stuur*, toon, wysl*, wyslij, pokaz*, przeslij, отправ*, пошл*, вышл*, покаж*, сообщ*, " +
    "发送, 发给, 发到, 显示, 告诉我, 上传, 送信, 送って, 表示, 教えて, 보내, 보여, 알려, ارسل, اظهر, gonder*, goster*, kirim*, tampilkan, skicka*, visa, שלח, भेज, στειλ*, gui",
  send:
    "send*, sent, post, posts, posting, upload*, mail, mails, mailed, email, emails, emailed, forward*, transmit*, share, shares, sharing, leak*, exfiltrat*, submit*, deliver*, push*, transfer*, wire, wires, pay, pays, deposit*, publish*, ping, invoke, curl, wget, export*, upload*, report, add, " +
    "sende*, schick*, ubermittl*, uberweis*, envoi*, envoy*, envia*, envie*, envio*, manda*, invia*, stuur*, wysl*, przeslij, отправ*, пошл*, вышл*, перевед*, 发送, 发给, 发到, 上传, 转账, 送信, 送って, 보내, ارسل, gonder*, kirim*, skicka*, שלח, भेज, στειλ*, gui",
  write:
    "write*, writing, type, types, typing, save*, store*, keep, keeps, put, puts, note, enter, insert*, add, adds, place, log, speak*, whisper*",
  spot: "chat, reply, replies, answer*, response*, summary, note, notes, comment*, review*, public, query, url, log, logs, message, output, aloud, everyone, end of, here, me",
  strange:
    "external, remote, attacker*, outside, third party, foreign, unknown, untrusted, our server*, our endpoint*, our drive, this address, this url, this site, this link, this number, this account, network address, address below, address above, address in the page, address in the message, address in the note, address on the page, partner's, of the partner, " +
    "diese adresse, an diese, cette adresse, esta direccion, este endereco, ten adres, этот адрес, 这个网址, 这个地址, このアドレス, 이 주소, bu adres*",
  whole: "whole, entire, all, full, complete, every, everything, this, our, internal",
  talk: "conversation*, chat history, chat log*, chat, transcript*, context, memory, database*, system prompt, customer list, user list, user table, contact list, contacts, typed, internal memo*, internal note*",
  not: "not, never, don't, dont, without, no need to, nobody, won't, do n't",
  conceal: "tell*, inform*, notif*, alert*, warn*, let",
  /** Addressed to an agent. */
  mention: "mention*, reveal*, report, reporting, disclos*, say, saying, speak, show",
  person:
    "user, users, user's, customer, customers, client, clients, human*, owner, operator, supervisor, manager, boss, anyone, anybody, someone, somebody, person, people, him, her, them, team",
  /** The same three in other languages, where their order differs. */
  nicht:
    "nicht, nichts, niemand, ohne, kein, ne, pas, rien, sans, no, nada, sin, nunca, non, niente, senza, nao, sem, niet, niets, zonder, nie, nic, bez, не, ничего, без, 不要, 别, 勿, 不, 黙って, ないで, せず, 말고, 말, 마세요, 하지, لا, 未经, sakin, soyleme*, jangan",
  sagen:
    "sag, sage, sagen, erzahl*, informier*, erwahn*, dis, dites, dire, inform*, mentionn*, digas, diga, decir, avis*, menciones, dire, dica, avvis*, diga, conte, avise, vertel*, zeg, mow, powiedz*, mow*, говори*, сообща*, рассказ*, упомин*, 告诉, 通知, 提及, 伝え, 言わ, 知らせ, 말하, 알리, تخبر, söyleme*, beritahu",
  nutzer:
    "benutzer*, nutzer*, kunden, kunde, kundin, utilisateur*, client, usuario*, cliente*, utente, usuario, gebruiker*, klant*, uzytkownik*, klient*, пользовател*, клиент*, 用户, 客户, ユーザー, 利用者, 사용자, 고객, المستخدم, kullanici*, pengguna",
  stealth:
    "secretly, covertly, silently, quietly, stealthily, discreetly, heimlich, tacitement, discretement, secretamente, тайно, 偷偷, 悄悄, こっそり, 몰래, gizlice, en secret, en secreto",
  deed: "add*, copy, copies, copying, transfer*, chang*, delet*, install*, run*, record*, move*, replac*, insert*, redirect*, creat*, refund*, book*, charge*, wire*, pay*, open*",
  consent: "confirmation, permission, approval, consent, authorization, authorisation, erlaubnis, bestatigung",
  agreed: "agreed, approved, consented, authorized, authorised, allowed, preapproved, waived, lying",
  when: "once, after, if, when, until, unless, whether, wait, check, make sure, as soon as, before, ask, asks, verify, only",
  hide: "hide, hides, hiding, conceal*, keep it from, withhold*",
  grant: "grant*, give, gives, add, adds, make, elevat*, escalat*, assign*, promot*",
  admin: "admin, admin's, administrator*, root, superuser*, sudoers, full access, admin rights",
  disable:
    "disabl*, deactivat*, turn off, turned off, turns off, switch off, switched off, turn it off, kill, lifted, removed, are off, is off, deaktivier*, abschalt*, desactiv*",
  security:
    "firewall*, antivirus, audit log*, safety filter*, content filter*, filters, security check*, security control*, security feature*, security filter*, logging, safeguard*, guardrail*, guard rails, protection*, moderation, two factor, 2fa, encryption, access control*, monitoring, safety check*",
  inner: "system, hidden, initial, original, raw, internal, your, secret, developer, verborgen*",
  setup: "prompt, prompts, instructions, configuration, config, guidelines, directives",
  obey: "do, does, follow*, obey*, act on, execute, run, carry out, heed, perform",
  page: "page, note, text, message, paragraph, comment*, output, it, website, email, document, web page, tool output, tool result, below, following, payload",
  says: "says, say, said, tells, instructs, demands, asks, below, instead, contains",
  audience: "language model*, ai model*, ai assistant*, ai agent*, future agent*, llm, llms, chatbot*, other agents",
  judge: "assistant*, analyst*, summarizer*, summariser*, reviewer*, evaluator*, judge, judges, grader*",
  address:
    "note to, note for, attention, dear, hey, message to, message for, memo to, hint to, to the, instructions for, listen",
  rate: "rate*, mark, marks, grade, score, label, conclude, write that, say that, report that, record that, claim*, tell",
  run: "run, runs, episode*, steps, approach, attempt*, trajectory, transcript, log, way",
  good: "success*, worked, works, correct, passed, solved, perfect",
  praise: "recommend*, promot*, advertis*, praise*, endors*",
  each: "every answer, every reply, every response, every message, each answer, each reply, each response, all answers, all replies, every review",
  decode: "decode*, decrypt*, unscramble*, backwards, deobfuscat*, entschlussel*, rot13, atob",
} as const;

type Kind = keyof typeof WORDS;

interface Entry {
  readonly kind: Kind;
  /** The words; the last may stand for more with the same beginning. */
  readonly words: readonly string[];
  readonly open: boolean;
}

/** Scripts that put no spaces between words, or hang little words on to others: looked through letter by letter. */
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Devanagari}ー]+$/u;

const first = new Map<string, Entry[]>();
const unspaced = new Map<string, Kind[]>();
let longest = 1;

for (const [kind, list] of Object.entries(WORDS) as [Kind, string][]) {
  for (const written of list.split(",")) {
    const open = written.trim().endsWith("*");
    const words = plainText(written).trim().replace("*", "").split(/[ -]/);
    const [start = ""] = words;
    const whole = words.join("");
    if (UNSPACED.test(whole)) {
      unspaced.set(whole, [...(unspaced.get(whole) ?? []), kind]);
      longest = Math.max(longest, whole.length);
      continue;
    }
    first.set(start, [...(first.get(start) ?? []), { kind, words, open }]);
    longest = Math.max(longest, start.length);
  }
}

/** What begins at word `at`: which kind, and its last word. */
function entriesAt(words: readonly string[], at: number): { readonly kind: Kind; readonly to: number }[] {
  const word = words[at] as string;
  const found: { kind: Kind; to: number }[] = [];
  for (let length = Math.min(word.length, longest); length > 0; length -= 1) {
    for (const entry of first.get(word.slice(0, length)) ?? []) {
      const to = fits(entry, words, at);
      if (to !== undefined) found.push({ kind: entry.kind, to });
    }
  }
  return found;
}

function fits({ words: wanted, open }: Entry, words: readonly string[], at: number): number | undefined {
  const to = at + wanted.length - 1;
  for (const [index, word] of wanted.entries()) {
    const there = words[at + index];
    const mayGoOn = open && index === wanted.length - 1;
    if (there === undefined || !(there === word || (mayGoOn && there.startsWith(word)))) return undefined;
  }
  return to;
}

function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

/** Words known in a run of letters without spaces, in order. `spelt`: letters that were written one by one. */
function wordsWithin(run: string, spelt: boolean): string[] {
  const found: string[] = [];
  for (let at = 0; at < run.length;) {
    let length = Math.min(longest, run.length - at);
    while (length > 0 && !isKnown(run.slice(at, at + length), spelt)) length -= 1;
    if (length > 0) found.push(run.slice(at, at + length));
    at += Math.max(1, length);
  }
  return found;
}

function isKnown(piece: string, spelt: boolean): boolean {
  if (!spelt) return unspaced.has(piece);
  return piece.length >= 3 && (first.get(piece) ?? []).some(({ words }) => words.length === 1);
}

function kindsOfUnspaced(word: string): readonly Kind[] {
  return unspaced.get(word) ?? [];
}

/** From a word to a word, both counted. */
export interface Mark {
  readonly at: number;
  readonly to: number;
}

export interface Clause {
  readonly words: readonly string[];
  /** Words of these kinds, in order. */
  of(...kinds: readonly Kind[]): readonly Mark[];
  readonly addresses: readonly Mark[];
}

/** So many single letters in a row are a word that was spelt. */
const SPELT = 5;
/** A name of an argument ("mail=", {"mail":) is no verb. */
const WORD = new RegExp(String.raw`${PLACE}|[\p{L}\p{N}]+(?:'[\p{L}]+)?(?:=|" ?:)?`, "gu");

export function clausesOf(text: string): Clause[] {
  const found: Clause[] = [];
  for (const part of text.split(/[;!?\n。！？；]+|\.(?=\s|$)/u)) {
    const given = part.match(WORD) ?? [];
    if (given.length > 0) found.push(clauseOf(given));
  }
  return found;
}

function clauseOf(given: readonly string[]): Clause {
  const words: string[] = [];
  const names = new Set<number>();
  const unspaced = new Set<number>();
  const take = (run: string, spelt: boolean): void => {
    for (const word of wordsWithin(run, spelt)) {
      if (!spelt) unspaced.add(words.length);
      words.push(word);
    }
  };
  for (let at = 0; at < given.length; at += 1) {
    const run = runFrom(given, at, isUnspaced);
    const letters = runFrom(given, at, isLetter);
    if (run.count > 0) take(run.text, false);
    else if (letters.count >= SPELT) take(letters.text, true);
    else {
      const word = given[at] as string;
      if (/[=:]$/.test(word)) names.add(words.length);
      words.push(word.replace(/(?:=|" ?:)$/, ""));
      continue;
    }
    at += Math.max(run.count, letters.count >= SPELT ? letters.count : 0) - 1;
  }
  return marked(words, names, unspaced);
}

function runFrom(
  given: readonly string[],
  from: number,
  belongs: (word: string) => boolean,
): { readonly text: string; readonly count: number } {
  let to = from;
  while (to < given.length && belongs(given[to] as string)) to += 1;
  return { text: given.slice(from, to).join(""), count: to - from };
}

function isLetter(word: string): boolean {
  return word.length === 1 && word !== PLACE;
}

function marked(words: readonly string[], names: ReadonlySet<number>, unspaced: ReadonlySet<number>): Clause {
  const marks = new Map<Kind, Mark[]>();
  const addresses: Mark[] = [];
  const add = (kind: Kind, mark: Mark): void => {
    const known = marks.get(kind) ?? [];
    marks.set(kind, known);
    if (known.at(-1)?.at !== mark.at) known.push(mark);
  };
  for (const [at, word] of words.entries()) {
    if (word === PLACE) addresses.push({ at, to: at });
    else if (unspaced.has(at)) for (const kind of kindsOfUnspaced(word)) add(kind, { at, to: at });
    else if (!isThing(words, at)) {
      for (const { kind, to } of entriesAt(words, at)) if (!names.has(to)) add(kind, { at, to });
    }
  }
  const of = (...kinds: readonly Kind[]): readonly Mark[] => {
    const found = kinds.flatMap((kind) => marks.get(kind) ?? []);
    return kinds.length === 1 ? found : found.sort((one, other) => one.at - other.at);
  };
  return { words, of, addresses };
}

const OBJECT = /^(?:the|all|it|them|this|that|these|every|everything|an?|your|our|my|their|his|her|me|us|to)$/;

/** "Mail" and "email" are things more often than deeds: "by mail", "an email", "mail address". */
function isThing(words: readonly string[], at: number): boolean {
  if (!/^e?mails?$/.test(words[at] ?? "")) return false;
  const next = words[at + 1] ?? "";
  return (
    /^(?:by|via|per|an?|the|of|your|my|this|one|and|or)$/.test(words[at - 1] ?? "") ||
    !(next === PLACE || OBJECT.test(next))
  );
}

/** Those of `ones` that one of `others` follows with at most `gap` words between. */
export function inOrder(ones: readonly Mark[], others: readonly Mark[], gap: number): Mark[] {
  const found: Mark[] = [];
  let next = 0;
  for (const { at, to } of ones) {
    while (next < others.length && (others[next] as Mark).at <= to) next += 1;
    const other = others[next];
    if (other !== undefined && other.at - to - 1 <= gap) found.push({ at, to: other.to });
    // A later one may begin before an earlier one ends.
    if (next > 0) next -= 1;
  }
  return found;
}

/** The same in either order. */
export function beside(ones: readonly Mark[], others: readonly Mark[], gap: number): Mark[] {
  return [...inOrder(ones, others, gap), ...inOrder(others, ones, gap)];
}

/** Those that none of `before` stands right in front of, with at most `gap` words between. */
export function unless(marks: readonly Mark[], before: readonly Mark[], gap = 0): Mark[] {
  const ends = new Set(before.map(({ to }) => to));
  return marks.filter(
    ({ at }) => !Array.from({ length: gap + 1 }, (_, step) => at - 1 - step).some((to) => ends.has(to)),
  );
}

/** Those that one of `others` stands near to, on either side or within. */
export function around(marks: readonly Mark[], others: readonly Mark[], gap: number): Mark[] {
  const places = new Set(others.flatMap(({ at, to }) => [at, to]));
  return marks.filter(({ at, to }) => {
    for (let place = at - gap; place <= to + gap; place += 1) if (places.has(place)) return true;
    return false;
  });
}

export function quote({ words }: Clause, { at, to }: Mark): string {
  return words
    .slice(at, to + 1)
    .join(" ")
    .replaceAll(PLACE, "an address");
}
