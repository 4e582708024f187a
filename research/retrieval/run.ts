/**
 * Which skill is chosen for a goal in other words: by words, and by a model of sentences at every threshold.
 *   npx tsx research/retrieval/run.ts [--model FOLDER] [--corpus frozen|tuning]
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { OfferedSkill } from "../../packages/recorder/src/selection/offered-skill.ts";
import { createSelector } from "../../packages/recorder/src/selection/select.ts";
import { openSentenceModel } from "./sentence-model.ts";

interface Corpus {
  readonly skills: readonly { readonly name: string; readonly goal: string; readonly goals: readonly string[] }[];
  /** What stands in the place of each skill's goals. */
  readonly values: readonly string[];
  readonly none: readonly string[];
}

const print = (...values: readonly unknown[]): void =>
  void process.stdout.write(`${values.map((value) => JSON.stringify(value)).join(" ")}\n`);

const { values: given } = parseArgs({
  options: { model: { type: "string" }, corpus: { type: "string", default: "frozen" } },
});
const corpus = JSON.parse(readFileSync(join(import.meta.dirname, `${given.corpus}.json`), "utf8")) as Corpus;
const { skills, none } = corpus;
const questions = [
  ...skills.flatMap(({ goals }, at) => goals.map((goal) => goal.replaceAll("{1}", corpus.values[at] ?? ""))),
  ...none,
];
/** The skill of each question; −1 where none fits. */
const owners = [...skills.flatMap(({ goals }, at) => goals.map(() => at)), ...none.map(() => -1)];
const asked = owners.filter((owner) => owner >= 0).length;

/** Shares of goals that got their skill, and of all questions that got another. */
function shares(served: readonly (readonly number[])[]): { readonly right: number; readonly wrong: number } {
  const right = served.filter((some, at) => some.includes(owners[at] as number)).length;
  const wrong = served.filter((some, at) => some.some((one) => one !== owners[at])).length;
  return { right: right / asked, wrong: wrong / questions.length };
}

const entries = skills.map(({ name, goal }): OfferedSkill => {
  const statistics = { successes: 0, failures: 0, utility: 0 };
  return { name, version: "1", level: "task", status: "active", when: { goals: [goal] }, text: goal, statistics };
});
const selector = createSelector(entries);
const byWords = questions.map((goal) =>
  selector.select({ goal }).skills.map(({ name }) => skills.findIndex((skill) => skill.name === name)),
);
print("words", shares(byWords));

if (given.model !== undefined) {
  const model = await openSentenceModel(given.model);
  const vectors = await model.embed(skills.map(({ goal }) => goal.replaceAll("{1}", "something")));
  const nearest = (await model.embed(questions)).map((question) => {
    const cosines = vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0));
    const most = Math.max(...cosines);
    return { skill: cosines.indexOf(most), most };
  });
  for (const least of [0, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7]) {
    const served = nearest.map(({ skill, most }) => (most >= least ? [skill] : []));
    print(model.id, least, shares(served));
  }
  await model.close();
}
