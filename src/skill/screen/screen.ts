/**
 * Hygiene: what a skill says goes into prompts, and part of it may have been written by a stranger, in a web page or a tool
 * result that an agent once read. A skill tells how to do the task at hand. One that speaks of secrets, of the network, of
 * its reader's instructions or of the user is not used until a person has read it. Words can always be chosen so that no
 * list finds them: the screen is a net for a person's eyes, not a proof.
 */

export interface ScreenOptions {
  /** What the agents of the evidence saw. Whole sentences of it have no place in a skill. */
  readonly observations?: readonly string[];
  /** What it was asked: words of goals are no concern by themselves. */
  readonly goals?: readonly string[];
}

interface Rule {
  readonly why: string;
  readonly pattern: RegExp;
}

/** Matched on text in lower case, with look-alike letters and invisible ones made plain. Linear: no nested repeats. */
const RULES: readonly Rule[] = [
  {
    why: "speaks of the reader's instructions",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass|skip) (?:\w+ ){0,4}(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|directions|safety|restrictions?|above|everything)\b/,
  },
  { why: "speaks of the reader's instructions", pattern: /\b(?:system|developer) (?:prompt|message|note|override)\b/ },
  {
    why: "speaks of the reader's instructions",
    pattern: /\b(?:new|updated|real|actual|hidden|important) (?:instructions?|orders?|directives?)\b/,
  },
  {
    why: "gives its reader another part to play",
    pattern: /\byou are (?:now|no longer)\b|\b(?:pretend|act as if|roleplay|from now on|jailbreak)\b/,
  },
  {
    why: "speaks to whoever studies the episode",
    pattern:
      /\b(?:analysts?|summari[sz]er|reviewer|evaluator|judge|grader|future agents?|language models?|the assistant|ai model)\b/,
  },
  {
    why: "speaks of secrets",
    pattern:
      /\b(?:passwords?|passphrases?|credentials?|secrets?|api[ _-]?keys?|access[ _-]?tokens?|private keys?|ssh keys?|cookies?|environment variables?|session ids?|2fa|one-time codes?)\b|(?:^|\s)\.env\b/,
  },
  {
    why: "speaks of the network",
    pattern: /\b(?:https?|ftp|wss?):|\bwww\.|\bwebhooks?\b|\b(?:curl|wget|netcat|scp)\b/,
  },
  { why: "speaks of the network", pattern: /\b[\w.+-]+@[\w-]+\.\w+|\b\d{1,3}(?:\.\d{1,3}){3}\b/ },
  {
    why: "sends something away",
    pattern:
      /\b(?:send|forward|e-?mail|upload|post|exfiltrate|leak|transmit|report|copy|share) (?:\w+ ){0,6}(?:to|with|at) (?:\w+ ){0,3}(?:external|remote|attacker|outside|address|server|url|site|account|endpoint|inbox|everyone|me)\b/,
  },
  {
    why: "runs or deletes something outside the task",
    pattern:
      /\brm -\w*[rf]|\bsudo\b|\bchmod\b|\beval\b|\bexec\(|\bdrop table\b|\bformat [a-z]:|\bpowershell\b|\bbase64\b|\| ?(?:ba)?sh\b/,
  },
  {
    why: "goes behind the user's back",
    pattern:
      /\b(?:do not|don't|never|without) (?:\w+ ){0,2}(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|ask|asking|alert|alerting|reveal|show) (?:\w+ ){0,2}(?:users?|humans?|person|customers?|owner|operator|anyone|confirmation|permission|first)\b/,
  },
  {
    why: "speaks of the user",
    pattern: /\b(?:the user'?s?|users?|humans?) (?:wants?|has|agreed|allowed|consented|approved|is lying)\b/,
  },
  { why: "brings markup or a link", pattern: /<\/?[a-z!][^>]{0,200}>|!?\[[^\]]{0,200}\]\([^)]{0,400}\)/ },
  { why: "holds a long string that nobody can read", pattern: /[a-z0-9+/=_-]{64,}/ },
];

/** Letters that are not seen, or that turn the direction of the line. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Cyrillic, Armenian and Greek letters, and the Latin ones that they look like, in the same order. */
const FOREIGN = "аеорсухіјѕԁոαερνοτικ";
const LATIN = "aeopcyxijsdnaepvotik";
const LOOK_ALIKE = new RegExp(`[${FOREIGN}]`, "gu");

const LONGEST_QUOTE_WORDS = 8;

/** Why a person should look at it first; empty where nothing was found. */
export function screenSkill(text: string, { observations = [], goals = [] }: ScreenOptions = {}): string[] {
  const concerns = new Set<string>();
  if (new RegExp(INVISIBLE).test(text)) concerns.add("holds letters that cannot be seen");
  const plain = plainText(text);
  const asked = goals.map(plainText);
  for (const { why, pattern } of RULES) {
    const [found] = pattern.exec(plain) ?? [];
    if (found === undefined || asked.some((goal) => goal.includes(found))) continue;
    concerns.add(`${why}: ${JSON.stringify(found.slice(0, 60))}`);
  }
  const quote = quoted(plain, observations, asked);
  if (quote !== undefined) concerns.add(`repeats what somebody else wrote in an observation: ${JSON.stringify(quote)}`);
  return [...concerns];
}

function plainText(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(INVISIBLE, "")
    .toLowerCase()
    .replaceAll(LOOK_ALIKE, (letter) => LATIN.charAt(FOREIGN.indexOf(letter)))
    .replaceAll(/\s+/g, " ");
}

/** The first run of so many words that also stands in an observation and was not asked for. */
function quoted(plain: string, observations: readonly string[], goals: readonly string[]): string | undefined {
  const words = wordsOf(plain);
  if (words.length < LONGEST_QUOTE_WORDS) return undefined;
  const seen = observations.map((text) => ` ${wordsOf(plainText(text)).join(" ")} `);
  const asked = goals.map((text) => ` ${wordsOf(text).join(" ")} `);
  for (let at = 0; at + LONGEST_QUOTE_WORDS <= words.length; at += 1) {
    const run = words.slice(at, at + LONGEST_QUOTE_WORDS).join(" ");
    if (seen.some((text) => text.includes(` ${run} `)) && !asked.some((text) => text.includes(` ${run} `))) return run;
  }
  return undefined;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
