/**
 * The text side of a game: for every action a command template and a reply, and named production rules with
 * conditions, from which replies are put together.
 */
import { EngineError } from "limbeck-base/base/errors";
import { parseTemplate, type Query, type Template, parseQuery } from "./template.ts";

export interface Production {
  /** The first production whose condition has an answer is used. */
  readonly condition: Query | undefined;
  readonly template: Template;
}

export interface ActionText {
  readonly command: Template;
  readonly reply: Template;
}

export interface Grammar {
  /** By action name in lower case. */
  readonly actions: ReadonlyMap<string, ActionText>;
  readonly rules: ReadonlyMap<string, readonly Production[]>;
}

type Rules = ReadonlyMap<string, readonly Production[]>;

/** Parts that were read before, by their text: official games share all but the task sentence. */
export interface GrammarCache {
  readonly rules: Map<string, Rules>;
  readonly productions: Map<string, Production>;
  readonly templates: Map<string, Template>;
}

const MAX_CACHED = 500;
const MAX_KEPT_BLOCK = 4_000;

export function createGrammarCache(): GrammarCache {
  return { rules: new Map(), productions: new Map(), templates: new Map() };
}

/** `grammar :: """{…}""";` and `action Name { template :: "…"; feedback :: "…"; grammar :: """{…}"""; }`. */
export function parseGrammar(text: string, cache: GrammarCache = createGrammarCache()): Grammar {
  const actions = new Map<string, ActionText>();
  const rules = new Map<string, readonly Production[]>();
  const reader = new Reader(text);
  const addRules = (block: string): void => {
    for (const [name, productions] of readRules(block, reader, cache)) rules.set(name, productions);
  };
  while (reader.more()) {
    const keyword = reader.word();
    if (keyword === "grammar") addRules(reader.field());
    else if (keyword === "action") {
      const name = reader.word();
      const parts = new Map<string, string>();
      reader.expect("{");
      while (!reader.accept("}")) parts.set(reader.word(), reader.field());
      const unknown = [...parts.keys()].find((part) => !["template", "feedback", "grammar", "pddl"].includes(part));
      if (unknown !== undefined) throw reader.error(`the part "${unknown}" of action "${name}" is not understood`);
      const [command, reply, own] = [parts.get("template"), parts.get("feedback"), parts.get("grammar")];
      if (command === undefined || reply === undefined) {
        throw reader.error(`action "${name}" needs both "template" and "feedback"`);
      }
      actions.set(name.toLowerCase(), { command: template(command, cache), reply: template(reply, cache) });
      if (own !== undefined) addRules(own);
    } else throw reader.error(`"${keyword}" is not understood; expected "grammar" or "action"`);
  }
  return { actions, rules };
}

function readRules(block: string, reader: Reader, cache: GrammarCache): Rules {
  const known = cache.rules.get(block);
  if (known !== undefined) return known;
  let data: unknown;
  try {
    data = JSON.parse(block);
  } catch (cause) {
    throw reader.error("a grammar block is not JSON", cause);
  }
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw reader.error("a grammar block is no object");
  const rules = new Map<string, readonly Production[]>();
  for (const [name, list] of Object.entries(data)) {
    if (!Array.isArray(list)) throw reader.error(`the rule "${name}" is not a list of productions`);
    rules.set(
      name,
      list.map((entry: unknown) => production(entry, name, reader, cache)),
    );
  }
  // The block with the task sentence is new in every game; the small ones beside the actions never are.
  if (block.length < MAX_KEPT_BLOCK) keep(cache.rules, ` ${block}`.slice(1), rules);
  return rules;
}

function production(entry: unknown, name: string, reader: Reader, cache: GrammarCache): Production {
  const { rhs, condition } = (typeof entry === "object" && entry !== null ? entry : {}) as Record<string, unknown>;
  const conditionIsText = condition === undefined || typeof condition === "string";
  if (typeof rhs !== "string" || !conditionIsText) {
    throw reader.error(`a production of "${name}" needs a text "rhs" and, if any, a text "condition"`);
  }
  const key = `${condition ?? ""}\n${rhs}`;
  const known = cache.productions.get(key);
  if (known !== undefined) return known;
  const asked = condition === undefined || condition.trim() === "" ? undefined : parseQuery(condition);
  const parsed = { condition: asked, template: template(rhs, cache) };
  keep(cache.productions, key, parsed);
  return parsed;
}

function template(text: string, cache: GrammarCache): Template {
  const known = cache.templates.get(text);
  if (known !== undefined) return known;
  const parsed = parseTemplate(text);
  keep(cache.templates, text, parsed);
  return parsed;
}

/** Texts that never come again must not pile up over thousands of games. */
function keep<T>(cache: Map<string, T>, text: string, value: T): void {
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, value);
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  more(): boolean {
    this.#skip();
    return this.#at < this.#text.length;
  }

  word(): string {
    return this.#match(/[\w/-]+/y, "a name");
  }

  /** `:: "…";` or `:: """…""";` */
  field(): string {
    this.expect("::");
    const block = this.#match(/"""[\s\S]*?"""|"[^"]*"/y, "a quoted text");
    this.expect(";");
    return block.startsWith('"""') ? block.slice(3, -3) : block.slice(1, -1);
  }

  expect(sign: string): void {
    if (!this.accept(sign)) throw this.error(`expected "${sign}"`);
  }

  accept(sign: string): boolean {
    this.#skip();
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  error(what: string, cause?: unknown): EngineError {
    const line = this.#text.slice(0, this.#at).split("\n").length;
    return new EngineError("bad-game", `Bad game file: in grammar, line ${line}, ${what}.`, {
      details: { source: "grammar", line },
      cause,
    });
  }

  #match(pattern: RegExp, what: string): string {
    this.#skip();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw this.error(`expected ${what}`);
    this.#at += found.length;
    return found;
  }

  /** White space, and comments from `#` to the end of the line. */
  #skip(): void {
    const pattern = /(?:\s+|#[^\n]*)*/y;
    pattern.lastIndex = this.#at;
    this.#at += pattern.exec(this.#text)?.[0].length ?? 0;
  }
}
