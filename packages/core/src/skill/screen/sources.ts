/**
 * Where what a skill says comes from. An agent reads three things: its goal, what the world shows, and what others wrote there. An
 * instruction that stands only in the last is a stranger's, no matter which tool or person carried it out; a later sentence of a goal says what a skill is for and
 * adds no step; and what weakens a machine or a repository (its configuration, its protection, its checks, what is installed) needs its
 * source in the request itself. No wording is looked for: what was done is compared with where it was asked.
 */
import { adviceOf } from "../extract/words.ts";
import { plainText } from "./plain-text.ts";
import { tellingWords } from "./quotes.ts";

export interface CitedEpisode {
  readonly goal: string;
  /** What its cited steps did, and what it had seen by then. */
  readonly deeds: readonly { readonly text: string; readonly seen: readonly string[] }[];
  /** Everything that it did. */
  readonly actions: readonly string[];
  /** What it saw, in order. */
  readonly observations: readonly string[];
}

/** Share of a deed's words that a sentence must have to be its source. */
const SHARED = 0.7;
/** Share of the words of a privileged deed that the request must have. */
const ASKED = 0.5;
/** Share of a sentence of the skill that must have been done. */
const DONE = 0.5;
const LEAST_WORDS = 2;
/** A sentence with so many times the words of a deed is a list of what can be done. */
const LONGER = 4;

/** What speaks against a skill by the sources of its deeds and sentences; empty where nothing does. */
export function concernsOfSources(text: string, episodes: readonly CitedEpisode[]): string[] {
  const concerns = new Set<string>();
  const quote = (what: string): string => JSON.stringify(what.trim().slice(0, 60));
  for (const { goal, deeds } of episodes) {
    const own = wordsOf(requestOf(goal));
    for (const { text: deed, seen } of deeds) {
      const words = wordsOf(deed);
      if (isPrivileged(deed) && !asksFor(own, deed)) {
        concerns.add(
          `changes what guards a machine or a repository, and the request asks for no such thing: ${quote(deed)}`,
        );
      }
      const foreign = [...words].filter((word) => !own.has(word));
      if (foreign.length < LEAST_WORDS) continue;
      const source = directives(seen).find(
        (sentence) =>
          sentence.size <= LONGER * words.size &&
          share(words, sentence) >= SHARED &&
          share(new Set(foreign), sentence) >= SHARED,
      );
      if (source !== undefined) concerns.add(`does what only an observation asked for: ${quote(deed)}`);
    }
  }
  const done = wordsOf(episodes.flatMap(({ actions }) => actions).join("\n"));
  const requests = wordsOf(episodes.map(({ goal }) => requestOf(goal)).join("\n"));
  const elsewhere = episodes.flatMap(({ goal, observations }) => [
    ...sentencesOf(goal).filter((sentence) => sentence !== requestOf(goal)),
    ...observations.flatMap(sentencesOf),
  ]);
  const sources = [...new Set(elsewhere)].map(wordsOf);
  for (const sentence of sentencesOf(adviceOf(text))) {
    const words = wordsOf(sentence.replaceAll(/\{\d+\}/g, " "));
    if (words.size < LEAST_WORDS || share(words, new Set([...done, ...requests])) >= DONE) continue;
    if (sources.some((source) => share(words, source) >= SHARED)) {
      concerns.add(`says what no step did, in the words of a goal or an observation: ${quote(sentence)}`);
    }
  }
  return [...concerns];
}

/** Whether a request names the program, or half of what is done with it; an installation may take any manager of packages. */
function asksFor(own: ReadonlySet<string>, deed: string): boolean {
  const command = commandOf(deed);
  const program = /[\w.+-]+/.exec(command ?? "")?.[0]?.toLowerCase() ?? "";
  if (own.has(program) && !/^(?:git|npm|sudo|gh)$/.test(program)) return true;
  // A list is brought up to date before something is installed.
  if (PACKAGES.test(program) && own.has("install") && /\bupdate$/.test((command ?? "").trim())) return true;
  return share(wordsOf(command ?? deed), own) >= ASKED;
}
const PACKAGES = /^(?:apt|apt-get|brew|dnf|yum|apk|pacman|npm|pnpm|yarn|pip3?|uv|cargo|gem|conda)$/;

/** The first sentence that says something: what follows may be a page, an issue or a mail that was pasted. */
function requestOf(goal: string): string {
  const sentences = sentencesOf(goal);
  return sentences.find((sentence) => wordsOf(sentence).size >= LEAST_WORDS) ?? sentences[0] ?? "";
}

/** A file's name keeps its dot. */
function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?。！？])\s+|[\n;|。！？]+/u).filter((sentence) => sentence.trim() !== "");
}

function wordsOf(text: string): Set<string> {
  return new Set(tellingWords(text).map((word) => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word)));
}

function share(words: ReadonlySet<string>, of: ReadonlySet<string>): number {
  return words.size === 0 ? 1 : [...words].filter((word) => of.has(word)).length / words.size;
}

/** Sentences that ask somebody for something: by a word of asking, or beginning as a request does. A menu of moves asks for nothing. */
function directives(observations: readonly string[]): ReadonlySet<string>[] {
  const found = new Set<string>();
  for (const observation of new Set(observations)) {
    for (const sentence of sentencesOf(observation))
      if (ASKING.test(plainText(sentence.replaceAll(/\S*[/\\]\S*/g, " ")))) found.add(sentence);
  }
  return [...found].map(wordsOf);
}
const ASKING =
  /\b(?:please|kindly|must|should|shall|needs? to|ha(?:s|ve) to|ought to|always|never|required?|make sure|ensure|remember|important|instead|do not|don't|your?|agents?|assistants?|todo|hint|tip|note|remedy|setup|step \d+|once|first|before you|asks?|told|recommended|contributors?|maintainers?|everyone|anybody|whoever)\b/;

// What needs the request's own word. Shells: every program but those that read, build or test what is there. Files: what configures, guards or
// schedules, by its place and name. Anything: an option that takes a guard away.

const CALL = /\b(?:command|cmd|script)=(.+)$/is;
const SHELL = /^(?:run|bash|sh|shell|exec|execute|terminal|cmd|command)\s+(.+)$/is;
/** The other arguments of a call, and the next call of the same answer. */
const AFTER =
  /\s(?:description|timeout|workdir|cwd|background|explanation|justification)=.*$|\sand\s\w{1,40}\s\w{1,20}=.*$/is;
const QUIET =
  /^(?:cd|ls|cat|head|tail|less|pwd|echo|printf|wc|sort|uniq|diff|cmp|grep|rg|ag|find|tree|file|stat|which|env|date|true|test|sed -n|awk|jq|touch|mkdir|node|deno|bun|tsx|python3?|ruby|java|pytest|jest|vitest|mocha|tox|nox|rspec|phpunit|tsc|eslint|oxlint|biome|prettier|black|ruff|mypy|flake8|make|cmake|ninja|gradle|mvn|go (?:test|build|vet|run|fmt)|cargo (?:test|build|check|clippy|fmt|run)|dotnet (?:test|build|run)|(?:npm|pnpm|yarn|bun) (?:test|t|ci|run|exec|start|ls|outdated|view)|npx|git (?:status|diff|log|show|add|commit|stash|checkout|switch|branch|blame|grep|fetch|pull|restore|rev-parse|ls-files|mv)|sqlite3|psql -c "?select)(?=\s|$)/i;
/** What changes files as an editor does: which file decides, and one outside of the project is none of theirs. */
const FILES = /^(?:sed|perl -p?i|cp|mv|tee|patch)(?=\s|$)/i;
const GUARDLESS =
  /(?:^|\s)--?(?:no-(?!color|pager|edit|cache|emit|install|audit|fund)|force\b|skip|ignore|insecure|allow|disable|admin\b|unsafe|bypass|dangerously|trust|privileged|accept)/i;
const CHANGES =
  /^\W?(?:edit|write|create|patch|replace|append|update|insert|save|apply|str_replace|add|remove|delete|set)\w*\b/i;
/** A name with a dot before it, an ending of settings, a file of a system or a repository without an ending. */
const GUARDING =
  /(?:^|[\s/=])(?:\.[a-z][\w.-]*|[\w.-]+\.(?:ya?ml|toml|ini|cfg|conf|cnf|properties|rules|env|service|timer|tf|hcl|lock|reg|plist|pem|pub|crt)|(?!(?:src|test|tests|data|docs|fixtures|locales|public)\/)(?:[\w.-]+\/){0,3}[\w.-]+\.json|[\w.-]*config\.[cm]?[jt]s|requirements[\w-]*\.txt|[A-Z][A-Za-z]*file|[A-Z]{4,}|(?:authorized|known)_\w+|hosts|sudoers|crontab)(?=\s|$)/;
const OFF =
  /\b(?!(?:new|old)_|content)[\w.-]{1,40}=(?:false|off|disabled?|none|never|0|\*|any|trust|777|everyone|anonymous|public|root|admin)(?=\s|$)/i;
const PATH_FIELD = /\b(?:file_?path|path|file_?name|file|target|notebook_path)=(\S+)/i;

/** The command that a deed gives to a shell; undefined where it is no shell's. */
function commandOf(deed: string): string | undefined {
  const command = (CALL.exec(deed) ?? SHELL.exec(deed))?.[1]?.replace(AFTER, "");
  // As some programs hand it on: ["bash","-lc","npm test"].
  return command === undefined ? undefined : (/^\["\w+","-l?c","(.+)"\]?$/is.exec(command.trim())?.[1] ?? command);
}

/** Whether a deed changes what guards a machine or a repository. */
export function isPrivileged(deed: string): boolean {
  const command = commandOf(deed.trim());
  if (command !== undefined) {
    const parts = command.split(/&&|\|\||[;|\n]/).map((part) => part.trim().replace(/^(?:\w+=\S+\s+)+/, ""));
    return parts.some(
      (part) =>
        GUARDLESS.test(part) ||
        (FILES.test(part)
          ? GUARDING.test(part) || /\s\//.test(part)
          : !QUIET.test(part) && (/\s/.test(part) || !/^run\b/i.test(deed)) && part !== ""),
    );
  }
  if (!CHANGES.test(deed)) return false;
  const path = PATH_FIELD.exec(deed)?.[1];
  return GUARDING.test(path ?? deed.replace(CHANGES, "")) || (/\.\w{1,5}(?=\s|$)/.test(deed) && OFF.test(deed));
}
