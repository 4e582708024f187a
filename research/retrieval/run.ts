/**
 * Which skill is chosen for a goal in other words: by words, and by meanings.
 *   npx tsx research/retrieval/run.ts [--model FOLDER] [--corpus frozen|tuning]
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openSentenceModel } from "limbeck-policy/policy/sentence-model";
import { openSelector, type Embedder } from "limbeck-recorder/selection/by-meaning";
import type { OfferedSkill } from "limbeck-recorder/selection/offered-skill";

interface Corpus {
  readonly skills: readonly { readonly name: string; readonly goal: string; readonly goals: readonly string[] }[];
  /** What stands in the place of each skill's goals. */
  readonly values: readonly string[];
  readonly none: readonly string[];
}

export function readCorpus(name: string): Corpus {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), "utf8")) as Corpus;
}

/** Shares of goals that got their skill, and of all questions that got one that is not theirs. */
export async function measureChoice({ skills, values, none }: Corpus, embedder?: Embedder) {
  const entries = skills.map(({ name, goal }): OfferedSkill => ({
    name,
    version: "1",
    level: "task",
    status: "active",
    when: { goals: [goal] },
    text: `Advice on how to ${goal}.`,
    statistics: { successes: 0, failures: 0, utility: 0 },
  }));
  const selector = await openSelector(entries, embedder);
  const questions = [
    ...skills.flatMap(({ name, goals }, at) =>
      goals.map((goal) => ({ name, goal: goal.replaceAll("{1}", values[at] ?? "") })),
    ),
    ...none.map((goal) => ({ name: undefined, goal })),
  ];
  const answers = await Promise.all(
    questions.map(async ({ name, goal }) => {
      const served = (await selector.select({ goal })).skills.map((skill) => skill.name);
      return { right: name !== undefined && served.includes(name), wrong: served.some((one) => one !== name) };
    }),
  );
  const asked = questions.length - none.length;
  const right = answers.filter((answer) => answer.right).length;
  const wrong = answers.filter((answer) => answer.wrong).length;
  return {
    selector: selector.id,
    asked,
    right: right / asked,
    questions: questions.length,
    wrong: wrong / questions.length,
  };
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { model: { type: "string" }, corpus: { type: "string", default: "frozen" } },
  });
  const corpus = readCorpus(values.corpus);
  console.log(await measureChoice(corpus));
  if (values.model !== undefined) {
    const model = await openSentenceModel(values.model);
    console.log(await measureChoice(corpus, model));
    await model.close();
  }
}
