/** A table world and a policy whose chances stand in a table too, ready to be searched. */
import { wrapEnv, wrapEpisode } from "../../packages/core/src/env/wrap.ts";
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import { plainDialect } from "../../packages/policy/src/policy/tabular/script-tokenizer.ts";
import { createScriptedPolicy } from "../../packages/policy/src/policy/tabular/scripted-policy.ts";
import { createTokenAgent } from "../../packages/core/src/walk/mind/token-agent.ts";
import type { Agent } from "../../packages/core/src/walk/mind/agent.ts";
import { createSearch } from "../../packages/core/src/search/registry.ts";
import { runSearch, type SearchResult } from "../../packages/core/src/walk/tree/run-search.ts";
import type { Asker } from "../../packages/core/src/walk/tree/asker.ts";
import type { RunSearchOptions } from "../../packages/core/src/walk/tree/search.ts";
import { createTableEnv, TABLE_TASK, type TableWorld } from "./table-world.ts";

export interface SearchTable extends TableWorld {
  /** How often the policy says what in each state. */
  readonly chances: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Actions that nothing takes back. */
  readonly final?: readonly string[];
}

export function tableAgent({ chances }: Pick<SearchTable, "chances">): Agent {
  const policy = createScriptedPolicy({
    script: ({ observation }) => {
      const state = /at (\w+)/.exec(observation.slice(observation.lastIndexOf("at ")))?.[1] ?? "";
      return Object.entries(chances[state] ?? { wait: 1 }).map(([text, probability]) => ({ text, probability }));
    },
  });
  return createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), answerTokens: 24 });
}

export function tableEnv({ final = [], ...world }: SearchTable): Env {
  const marked = (inner: Episode): Episode =>
    wrapEpisode(inner, {
      irreversible: (action) => final.includes(action) && inner.admissible()?.includes(action) === true,
      fork: async () => marked(await inner.fork()),
    });
  return wrapEnv(createTableEnv(world), marked);
}

export interface TableSearch extends Partial<Omit<RunSearchOptions, "search">> {
  readonly settings?: Readonly<Record<string, unknown>>;
}

export async function searchTable(
  method: string,
  table: SearchTable,
  { settings = {}, ...options }: TableSearch = {},
): Promise<SearchResult> {
  const search = createSearch(method, settings);
  return await runSearch({
    env: tableEnv(table),
    agent: tableAgent(table),
    task: TABLE_TASK,
    search,
    seed: 1,
    ...options,
  });
}

/** Answers the questions that a pattern fits, in the order of the table; others get no words. */
export function scriptedAsker(answers: readonly (readonly [RegExp, (prompt: string) => string])[]): Asker {
  return (prompt) => {
    const found = answers.find(([pattern]) => pattern.test(prompt));
    return Promise.resolve({ text: found?.[1](prompt) ?? "" });
  };
}

/**
 * A lock of so many wheels: the right turn goes on, a wrong one ends it with what was reached. The policy is right with
 * this chance at every wheel.
 */
export function lock(wheels: number, chance: number): SearchTable {
  const states = Array.from({ length: wheels }, (_, at) => `w${at}`);
  return {
    moves: Object.fromEntries(
      states.map((state, at) => [state, { right: at + 1 === wheels ? "open" : `w${at + 1}`, wrong: `stuck${at}` }]),
    ),
    ends: { open: 1, ...Object.fromEntries(states.map((_, at) => [`stuck${at}`, at / (wheels + 1)])) },
    maxSteps: wheels + 1,
    chances: Object.fromEntries(states.map((state) => [state, { right: chance, wrong: 1 - chance }])),
  };
}

/** How many of so many seeds a search solves. */
export async function solvedBy(
  method: string,
  table: SearchTable,
  { seeds, ...options }: TableSearch & { readonly seeds: number },
): Promise<number> {
  let solved = 0;
  for (let seed = 0; seed < seeds; seed += 1) {
    if ((await searchTable(method, table, { ...options, seed })).success === true) solved += 1;
  }
  return solved;
}
