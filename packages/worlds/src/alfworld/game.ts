/** A game made ready to play: rules, situation and texts bound together, shared by all its episodes. */
import { EngineError } from "limbeck-base/base/errors";
import { createBlocks, type Blocks } from "./blocks.ts";
import type { Alternative } from "./condition.ts";
import { parseDomain, type Domain } from "./domain.ts";
import { createEntities, parseProblem, type Entities, type Problem } from "./entities.ts";
import { createFactSpace, factNumber, isMet, pack, type FactSpace } from "./facts.ts";
import type { GameFile } from "./game-file.ts";
import { createGrammarCache, parseGrammar, type Grammar } from "./grammar.ts";
import { prepare, type Grounding } from "./ground.ts";
import { createRelation, type Relation } from "./relations.ts";
import type { Query, Template } from "./template.ts";
import type { TextContext } from "./text.ts";

export interface Game extends TextContext {
  readonly blocks: Blocks;
  readonly goal: Goal;
  /** The changing facts that are true at the start. */
  readonly start: Uint32Array;
  readonly walkthrough: readonly string[] | undefined;
}

/** Reads games; remembers the rules and texts it has read, since all official games share them. */
interface GameReader {
  read(file: GameFile): Game;
}

const MAX_DOMAINS = 16;

export function createGameReader(): GameReader {
  const domains = new Map<string, Domain>();
  const texts = createGrammarCache();
  const domainOf = (text: string): Domain => {
    const known = domains.get(text);
    if (known !== undefined) return known;
    const domain = parseDomain(text);
    if (domains.size >= MAX_DOMAINS) domains.clear();
    domains.set(text, domain);
    return domain;
  };
  return {
    read: (file) => {
      const domain = domainOf(file.pddl_domain);
      const problem = parseProblem(file.pddl_problem, domain);
      return bind(domain, problem, parseGrammar(file.grammar, texts), file.walkthrough ?? undefined);
    },
  };
}

/** One game from its parts. To read many, keep a `createGameReader`. */
export function parseGame(file: GameFile): Game {
  return createGameReader().read(file);
}

function bind(domain: Domain, problem: Problem, grammar: Grammar, walkthrough: readonly string[] | undefined): Game {
  const entities = createEntities(domain, problem);
  const space = liveFacts(domain, problem, grammar, entities);
  const numbers = new Map(entities.ids.map((id, number) => [id, number]));
  const relations = unchangingFacts(domain, problem, { entities, numbers }, space);
  const grounding: Grounding = { entities, space, relations };
  const context: TextContext = { ...grounding, grammar };
  if (!grammar.rules.has("intro")) throw new EngineError("bad-game", 'Bad game file: the grammar has no rule "intro".');
  return {
    ...context,
    blocks: createBlocks(domain.actions, context),
    goal: createGoal(problem.goal, grounding),
    start: startBits(problem, space, numbers),
    walkthrough,
  };
}

/**
 * Facts that actions change and that something reads: a condition, the goal or a text. The official rules also keep
 * marks that nothing reads ("checked"); they would only make equal states look different.
 */
function liveFacts(domain: Domain, problem: Problem, grammar: Grammar, entities: Entities): FactSpace {
  const read = new Set<string>();
  const denied = new Set<string>();
  const readAlternatives = (alternatives: readonly Alternative[]): void => {
    for (const { literals } of alternatives) for (const { predicate } of literals) read.add(predicate);
  };
  const readQuery = (query: Query | undefined): void => {
    for (const { predicate } of query ?? []) {
      const isDenial = predicate.startsWith("not_") && !domain.predicates.has(predicate);
      const plain = isDenial ? predicate.slice(4) : predicate;
      if (!domain.predicates.has(plain)) {
        throw new EngineError("bad-game", `Bad game file: in grammar, the predicate "${plain}" is not declared.`);
      }
      read.add(plain);
      if (isDenial) denied.add(plain);
    }
  };
  const readTemplate = (template: Template): void => {
    for (const part of template) if (part.kind === "each") readQuery(part.query);
  };
  readAlternatives(problem.goal);
  for (const { alternatives, effects } of domain.actions) {
    readAlternatives(alternatives);
    for (const { when } of effects) readAlternatives(when ?? []);
  }
  for (const productions of grammar.rules.values()) {
    for (const { condition, template } of productions) {
      readQuery(condition);
      readTemplate(template);
    }
  }
  for (const { command, reply } of grammar.actions.values()) for (const text of [command, reply]) readTemplate(text);
  const changed = new Set(domain.actions.flatMap(({ effects }) => effects.map(({ literal }) => literal.predicate)));
  const live = [...domain.predicates].filter(([predicate]) => changed.has(predicate) && read.has(predicate));
  return createFactSpace(new Map(live), denied, entities);
}

function unchangingFacts(
  domain: Domain,
  problem: Problem,
  { entities, numbers }: { readonly entities: Entities; readonly numbers: ReadonlyMap<string, number> },
  space: FactSpace,
): ReadonlyMap<string, Relation> {
  const rows = new Map<string, number[][]>();
  for (const predicate of domain.predicates.keys()) if (!space.fluents.has(predicate)) rows.set(predicate, []);
  for (const { predicate, names } of problem.init) {
    rows.get(predicate)?.push(names.map((name) => numbers.get(name) ?? -1));
  }
  return new Map(
    [...rows].map(([predicate, list]) => [
      predicate,
      createRelation(domain.predicates.get(predicate)?.length ?? 0, list, entities),
    ]),
  );
}

function startBits(problem: Problem, space: FactSpace, numbers: ReadonlyMap<string, number>): Uint32Array {
  const bits = new Uint32Array(Math.ceil(space.size / 32));
  for (const { predicate, names } of problem.init) {
    const fluent = space.fluents.get(predicate);
    if (fluent === undefined) continue;
    const fact = factNumber(
      fluent,
      names.map((name) => numbers.get(name) ?? -1),
    );
    if (fact < 0) {
      const shown = `(${predicate} ${names.join(" ")})`;
      throw new EngineError(
        "bad-game",
        `Bad game file: in pddl_problem, the fact ${shown} has a thing of the wrong type.`,
      );
    }
    bits[fact >>> 5] = (bits[fact >>> 5] as number) | (1 << (fact & 31));
  }
  return bits;
}

// The goal as lists of facts, any one of which wins, looked at again only when one of its facts has changed.

interface Goal {
  /** Whether the state wins, all things considered. */
  isMet(bits: Uint32Array): boolean;
  /** The same for a state that did not win before these facts changed. */
  isMetAfter(bits: Uint32Array, changed: readonly number[]): boolean;
}

/** A goal over official numbers of things has hundreds of ways; millions mean a broken file. */
const MAX_WAYS = 1_000_000;

function createGoal(alternatives: readonly Alternative[], grounding: Grounding): Goal {
  const ways: (readonly number[])[] = [];
  for (const alternative of alternatives) {
    prepare(
      alternative,
      new Set(),
      grounding,
    )([], (_, demands) => {
      if (ways.length >= MAX_WAYS)
        throw new EngineError("bad-game", `Bad game file: the goal has over ${MAX_WAYS} ways.`);
      ways.push(demands.slice());
    });
  }
  if (ways.length === 0) {
    throw new EngineError(
      "unsatisfiable-goal",
      "Bad game file: the goal of pddl_problem can never be met; no things of the types and properties it asks for exist.",
    );
  }
  const [demands, starts] = pack(ways);
  const relevant = new Set(Array.from(demands, (demand) => Math.abs(demand) - 1));
  const isReached = (bits: Uint32Array): boolean => {
    for (let way = 0; way + 1 < starts.length; way += 1) {
      if (isMet(demands, starts[way] as number, starts[way + 1] as number, bits)) return true;
    }
    return false;
  };
  return {
    isMet: isReached,
    isMetAfter: (bits, changed) => changed.some((fact) => relevant.has(fact)) && isReached(bits),
  };
}
