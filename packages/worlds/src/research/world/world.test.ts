import { beforeAll, describe, expect, test } from "vitest";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Demonstrator } from "limbeck-core/env/expert";
import { expert, impatient, literal } from "../demonstrators.ts";
import type { Question } from "../load.ts";
import { normaliseAnswer } from "../normalise.ts";
import { createResearch } from "../research.ts";
import { parseQuestion, type Formula } from "./query.ts";
import { readPassage } from "./sentences.ts";
import { createResearchWorld, worldSizes, type ResearchWorld } from "./world.ts";

const ALL_HOPS = [1, 2, 3, 4];
const SEED = 11;
let world: ResearchWorld;
let asked: readonly (Question & { readonly split: string })[];

beforeAll(() => {
  world = createResearchWorld(SEED, worldSizes.small, ALL_HOPS);
  asked = Object.entries(world.questions).flatMap(([split, list]) => list.map((question) => ({ ...question, split })));
});

/** The names a question mentions, read from its words. */
function namesIn(formula: Formula | undefined): string[] {
  if (formula === undefined) return [];
  if (formula.kind === "name") return [formula.name];
  return formula.kind === "hop" ? namesIn(formula.of) : [...namesIn(formula.left), ...namesIn(formula.right)];
}

/** Whole words in normalised text, so that nothing hides behind case or punctuation. */
const padded = (text: string): string => ` ${normaliseAnswer(text.replace(/[.,"\n]/g, " "))} `;

describe("every generated question", () => {
  test("is there in the promised number, of every hop count, in every split", () => {
    for (const [split, perHop] of Object.entries(worldSizes.small.questionsPerHop)) {
      for (const hops of ALL_HOPS) {
        expect(asked.filter((question) => question.split === split && question.hops === hops)).toHaveLength(perHop);
      }
    }
  });

  test("of two hops and more is answered by no single passage; of one hop by exactly the one meant", () => {
    const texts = world.retriever.passages.map(({ id, contents }) => ({ id, text: padded(contents) }));
    const holders = new Map<string, Set<string>>();
    const holding = (phrase: string): Set<string> => {
      const known = holders.get(phrase);
      if (known !== undefined) return known;
      const wanted = padded(phrase);
      const found = new Set(texts.filter(({ text }) => text.includes(wanted)).map(({ id }) => id));
      holders.set(phrase, found);
      return found;
    };
    for (const { question, answers, hops, support } of asked) {
      const names = namesIn(parseQuestion(question));
      expect(names).toHaveLength(hops === 4 ? 2 : 1);
      const answer = holding(answers[0]!);
      expect(answer.size).toBeGreaterThan(0);
      const both = names.flatMap((name) => [...holding(name)].filter((id) => answer.has(id)));
      expect({ question, both }).toEqual({ question, both: hops === 1 ? support : [] });
    }
  });

  test("has one answer, worked out from the passages alone", () => {
    const triples = world.retriever.passages.flatMap(({ contents }) =>
      readPassage(contents).flatMap(({ subject, relation, objects }) =>
        objects.map((object) => ({ subject, relation: relation as string, object })),
      ),
    );
    const objects = new Map<string, string[]>();
    const subjects = new Map<string, string[]>();
    for (const { subject, relation, object } of triples) {
      objects.set(`${relation} ${subject}`, [...(objects.get(`${relation} ${subject}`) ?? []), object]);
      subjects.set(`${relation} ${object}`, [...(subjects.get(`${relation} ${object}`) ?? []), subject]);
    }
    const all = (relation: string, name: string): string[] => objects.get(`${relation} ${name}`) ?? [];
    // Every value a formula can take; a question with two answers would show two.
    const values = (formula: Formula): string[] => {
      if (formula.kind === "name") return [formula.name];
      if (formula.kind === "hop") {
        return values(formula.of).flatMap((name) => {
          if (formula.link === "pupil") return subjects.get(`teacher ${name}`) ?? [];
          if (formula.link === "foundation") return subjects.get(`founder ${name}`) ?? [];
          return all(formula.link, name);
        });
      }
      return values(formula.left).flatMap((left) =>
        values(formula.right).flatMap((right) => {
          if (formula.kind === "common-stop") return all("tour", left).filter((t) => all("tour", right).includes(t));
          const [one, other] = [Number(all("born", left)[0]), Number(all("born", right)[0])];
          return one === other ? [left, right] : [one < other ? left : right];
        }),
      );
    };
    for (const { question, answers } of asked)
      expect([question, values(parseQuestion(question)!)]).toEqual([question, answers]);
  });

  test("joins as many different passages as it has hops", () => {
    const ids = new Set(world.retriever.passages.map((passage) => passage.id));
    for (const { support, hops } of asked) {
      expect(new Set(support).size).toBe(hops);
      expect(support.every((id) => ids.has(id))).toBe(true);
    }
  });

  test("belongs to one split: no entity is shared between splits, nor any question", () => {
    const owner = new Map(world.lands.flatMap(({ split, entities }) => entities.map(({ name }) => [name, split])));
    const count = world.lands.reduce((sum, land) => sum + land.entities.length, 0);
    expect(owner.size).toBe(count);
    for (const { split, question, support } of asked) {
      expect(namesIn(parseQuestion(question)).map((name) => owner.get(name))).not.toContain(undefined);
      for (const id of support) expect(owner.get(id.slice(0, id.lastIndexOf("/")))).toBe(split);
    }
    expect(new Set(asked.map((question) => question.id)).size).toBe(asked.length);
  });
});

async function successRates(demonstrator: Demonstrator): Promise<number[]> {
  const env = createResearch({ retriever: world.retriever, questions: world.questions, corpus: "test" });
  const wins = ALL_HOPS.map(() => 0);
  const runs = ALL_HOPS.map(() => 0);
  for (const split of PER_HOP === 350 ? Object.keys(env.splits) : ["test"]) {
    for await (const task of env.tasks(split)) {
      const hop = Number(task.data!["hops"]) - 1;
      runs[hop]! += 1;
      if (await succeeds(demonstrator, task)) wins[hop]! += 1;
    }
  }
  return wins.map((count, index) => count / runs[index]!);

  async function succeeds(agent: Demonstrator, task: Task): Promise<boolean> {
    // The answer is taken out of what the demonstrator is given: it must come from searching.
    const { data: _hidden, ...visible } = task;
    const demonstration = agent.start(visible, createRng(1));
    const episode = await env.open(task);
    let action: string | undefined;
    while (episode.ending === undefined) {
      action = demonstration.next({ action, observation: episode.observation });
      const { valid } = await episode.step(action);
      expect(valid).toBe(true);
    }
    return episode.success === true;
  }
}

/** Questions of each hop count: nightly all 350, else the 50 of a small split. */
const PER_HOP = tries(50, 350);

describe("demonstrators", () => {
  test("the expert's search path answers every question with the world's own retriever", async () => {
    expect(await successRates(expert)).toEqual([1, 1, 1, 1]);
  });

  test("text that is no information block teaches nothing and does no harm", () => {
    const demonstration = expert.start({ id: "t", env: "research", seed: 0, goal: "Why?", split: "x" }, createRng(1));
    const odd = ["<information>{</information>", '<information>{"result": 7}</information>', "Doc 1: x"];
    const actions = odd.map((observation) => demonstration.next({ action: undefined, observation }));
    expect(actions).toEqual(["<search>Why?</search>", "<answer>unknown</answer>", "<answer>unknown</answer>"]);
  });

  test("the weak ones fail where they should", async () => {
    // Counted once on this seed; exact because everything is deterministic.
    const [quick, early, plain] = [tries(49, 348), tries(28, 211), tries(49, 337)];
    expect(await successRates(impatient)).toEqual([quick / PER_HOP, 1, 0, early / PER_HOP]);
    expect(await successRates(literal)).toEqual([plain / PER_HOP, 0, 0, 0]);
  });
});

test("the same seed gives the same world, another seed another", () => {
  const make = (seed: number) => {
    const { retriever, questions } = createResearchWorld(seed, worldSizes.tiny, [2, 4]);
    return { passages: retriever.passages, questions };
  };
  expect(make(3)).toEqual(make(3));
  expect(make(3).passages[0]).not.toEqual(make(4).passages[0]);
  expect(make(3).questions["train"]!.every(({ hops }) => hops === 2 || hops === 4)).toBe(true);
});
