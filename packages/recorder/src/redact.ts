/**
 * Redaction: keys, e-mail addresses and patterns of one's own leave a record before it leaves the process. It fails
 * closed: a text that cannot be searched in bounded time is left out whole.
 */
import { BudgetSpent, compileLinear, type LinearPattern } from "./linear-pattern.ts";
import type { Json, JsonObject } from "./lines.ts";
import { SECRET_VALUE, isHarmlessName, isSecretField, withoutEmails, withoutKeys, withoutUnknown } from "./secrets.ts";

export interface RedactOptions {
  /** Keys, tokens and passwords of common providers. Default: true. */
  readonly keys?: boolean;
  /** E-mail addresses. Default: true. */
  readonly emails?: boolean;
  /**
   * Patterns of one's own, as expressions or their source. They run on a matcher without backtracking, so that none can
   * block the agent; look-around and back-references are refused.
   */
  readonly patterns?: readonly (RegExp | string)[];
  /** Exact texts that must never be recorded: the keys in use. Those shorter than 6 are ignored. */
  readonly literals?: readonly string[];
}

export interface Redactor {
  text(text: string): string;
  /** Every text of a value, names of fields included. */
  json(value: Json): Json;
  object(value: JsonObject): JsonObject;
  /** An id keeps apart what it kept apart: one that holds a secret becomes a short hash. */
  id(id: string): string;
  /** The same, and these exact texts besides. */
  with(literals: readonly string[]): Redactor;
}

/** A linear search needs a few steps for each letter; more than these means that it looks ahead again and again. */
const STEPS_PER_UNIT = 8;
const STEPS_FREE = 200_000;
const SHORTEST_LITERAL = 6;
const DEEPEST = 200;
/** Texts of at most so many letters that were found harmless are remembered, so many of them. */
const LONGEST_KNOWN = 40;
const MOST_KNOWN = 2_000;
const MARKS = /(\[redacted [a-z ]{3,20}\])/;

/**
 * Throws a SyntaxError that names the pattern it cannot use.
 *
 * @example
 * const redactor = createRedactor({ patterns: [/case \d+/] });
 * console.log(redactor.text("Mail ann@example.org about case 42.")); // Mail [redacted email] about [redacted pattern 1].
 */
export function createRedactor(options: RedactOptions = {}): Redactor {
  const patterns = (options.patterns ?? []).map((pattern) =>
    typeof pattern === "string" ? compileLinear(pattern) : compileLinear(pattern.source, pattern.flags),
  );
  return build(options, patterns, options.literals ?? []);
}

function build(options: RedactOptions, patterns: readonly LinearPattern[], given: readonly string[]): Redactor {
  const literals = given.filter((literal) => literal.length >= SHORTEST_LITERAL);
  // Names of fields, roles, folders: the same short texts stand in every record.
  const harmless = [new Set<string>(), new Set<string>()] as const;
  /** Where `named` is set the text is an id or a name: only what is known for a secret goes. */
  const text = (raw: string, named = false): string => {
    if (raw.length > LONGEST_KNOWN) return searched(raw, named);
    const known = harmless[named ? 1 : 0];
    if (known.has(raw)) return raw;
    const clean = searched(raw, named);
    if (clean !== raw) return clean;
    if (known.size >= MOST_KNOWN) known.clear();
    known.add(raw);
    return raw;
  };
  const searched = (raw: string, named: boolean): string => {
    let clean = raw;
    for (const literal of literals) if (clean.includes(literal)) clean = clean.replaceAll(literal, "[redacted key]");
    if (options.keys !== false) clean = withoutKeys(clean);
    if (options.keys !== false && !named) clean = withoutUnknown(clean, SECRET_VALUE);
    if (options.emails !== false) clean = withoutEmails(clean);
    if (patterns.length === 0) return clean;
    // Between the marks only: a pattern that finds the marks themselves would tear them up.
    return clean
      .split(MARKS)
      .map((piece) => (MARKS.test(piece) ? piece : withoutMatches(piece, patterns)))
      .join("");
  };
  const walk = (value: Json, depth: number, named = false): Json => {
    if (typeof value === "string") return text(value, named);
    if (typeof value !== "object" || value === null) return value;
    if (depth > DEEPEST) return "[left out: nested too deeply]";
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1, named));
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([name, inner]) => [
        text(name, true),
        options.keys !== false && typeof inner === "string" && inner !== "" && isSecretField(name, inner)
          ? SECRET_VALUE
          : walk(inner, depth + 1, isHarmlessName(name)),
      ]),
    );
  };
  const own: Redactor = {
    text: (raw) => text(raw),
    json: (value) => walk(value, 0),
    object: (value) => walk(value, 0) as JsonObject,
    id: (id) => (text(id, true) === id ? id : `redacted-${shortHash(id)}`),
    with: (more) => (more.length === 0 ? own : build(options, patterns, [...given, ...more])),
  };
  return own;
}

function withoutMatches(text: string, patterns: readonly LinearPattern[]): string {
  const found: (readonly [start: number, end: number, pattern: number])[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const budget = { steps: STEPS_FREE + STEPS_PER_UNIT * text.length };
    try {
      for (
        let match = pattern.find(text, 0, budget);
        match !== undefined;
        match = pattern.find(text, match[1], budget)
      ) {
        found.push([...match, index + 1]);
      }
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
      return `[left out: pattern ${index + 1} takes too long on this text]`;
    }
  }
  let clean = "";
  let from = 0;
  for (const [start, end, number] of found.sort(([left], [right]) => left - right)) {
    if (start >= from) clean += `${text.slice(from, start)}[redacted pattern ${number}]`;
    from = Math.max(from, end);
  }
  return clean + text.slice(from);
}

/** FNV-1a from two offsets, to keep ids apart; nothing secret rests on it. */
export function shortHash(text: string): string {
  return [0x811c9dc5, 0x050c5d1f]
    .map((offset) => {
      let hash = offset;
      for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
      return (hash >>> 0).toString(16).padStart(8, "0");
    })
    .join("");
}
