/** The skill library at 10,000 skills: choosing for a goal, and listing the folder. */
import { join } from "node:path";
import { createRng, type Rng } from "../../packages/base/src/base/rng.ts";
import { NO_STATISTICS, type LibrarySkill } from "../../packages/core/src/skill/library/library-skill.ts";
import { openLibrary } from "../../packages/core/src/skill/library/library.ts";
import type { LibraryEntry } from "../../packages/core/src/skill/library/index-file.ts";
import { versionOf, writeSkillFile } from "../../packages/core/src/skill/library/skill-file.ts";
import { createSelector } from "../../packages/recorder/src/selection/select.ts";
import { mkdir, writeFile } from "node:fs/promises";
import type { Bench } from "./harness.ts";

const SKILLS = 10_000;
const QUESTIONS = 200;
const DIMENSIONS = 384;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

function word(rng: Rng): string {
  return Array.from({ length: 3 + rng.int(6) }, () => LETTERS[rng.int(26)]).join("");
}

function made(count: number): { readonly skills: LibrarySkill[]; readonly questions: string[] } {
  const rng = createRng("skills");
  const words = Array.from({ length: 3_000 }, () => word(rng));
  // Words are as uneven as in real texts: a few stand in very many goals.
  const pick = (): string => words[Math.floor(3_000 * rng.float() ** 3)] ?? "put";
  const skills = Array.from({ length: count }, (_, at): LibrarySkill => {
    const goal = `${pick()} the ${pick()} {1} with ${pick()} in {2}`;
    const text = `This worked: ${Array.from({ length: 6 }, () => `${pick()} the {1} with the ${pick()}`).join("; ")}.`;
    const said = { level: "task" as const, text, when: { goals: [goal] } };
    return {
      ...said,
      name: `skill-${at}`,
      description: `For goals like "${goal}". ${text}`,
      status: "active",
      version: versionOf(said),
      evidence: Array.from({ length: 5 }, (_item, link) => ({ trajectory: `t-${at}-${link}`, steps: [1, 2] })),
      support: { successes: 5, failures: 2 },
      statistics: NO_STATISTICS,
      source: "bench",
    };
  });
  const questions = Array.from({ length: QUESTIONS }, () => {
    const { when } = skills[rng.int(count)] as LibrarySkill;
    return (when.goals[0] ?? "").replace("{1}", pick()).replace("{2}", pick());
  });
  return { skills, questions };
}

function entriesOf(skills: readonly LibrarySkill[]): LibraryEntry[] {
  return skills.map(({ evidence, ...entry }) => ({ ...entry, links: evidence.length }));
}

/** The slowest of all questions: the promise is about each of them. */
function slowest(questions: readonly string[], select: (goal: string, at: number) => unknown): number {
  let most = 0;
  for (const [at, goal] of questions.entries()) {
    const start = performance.now();
    select(goal, at);
    most = Math.max(most, performance.now() - start);
  }
  return most;
}

const chooseByWords: Bench = {
  name: "skills/select-10k",
  summary: "Choosing skills for a goal among 10,000, by words; the slowest of 200 questions.",
  unit: "ms",
  goal: { at: "most", value: 20 },
  setUp: () => {
    const { skills, questions } = made(SKILLS);
    const selector = createSelector(entriesOf(skills));
    let chosen = 0;
    return Promise.resolve({
      measure: () => {
        chosen = 0;
        return Promise.resolve(
          slowest(questions, (goal) => {
            chosen += selector.select({ goal }).skills.length > 0 ? 1 : 0;
          }),
        );
      },
      notes: () => ({ "questions answered": chosen }),
    });
  },
};

const chooseByMeaning: Bench = {
  name: "skills/select-10k-vectors",
  summary: `The same with vectors of ${DIMENSIONS} numbers beside the words.`,
  unit: "ms",
  goal: { at: "most", value: 20 },
  setUp: () => {
    const rng = createRng("vectors");
    const vector = (): Float32Array => Float32Array.from({ length: DIMENSIONS }, () => rng.float() - 0.5);
    const { skills, questions } = made(SKILLS);
    const selector = createSelector(entriesOf(skills), { vectors: skills.map(vector) });
    const asked = questions.map(vector);
    return Promise.resolve({
      measure: () =>
        Promise.resolve(slowest(questions, (goal, at) => selector.select({ goal, vector: asked[at] ?? [] }))),
    });
  },
};

const listAgain: Bench = {
  name: "skills/list-10k",
  summary: "Listing a folder of 10,000 skills whose index is fresh, from disk.",
  unit: "ms",
  repetitions: 3,
  setUp: async (folder) => {
    const root = join(folder, "skills");
    for (const skill of made(SKILLS).skills) {
      await mkdir(join(root, skill.name), { recursive: true });
      await writeFile(join(root, skill.name, "SKILL.md"), writeSkillFile({ skill }));
    }
    const start = performance.now();
    await openLibrary(root).list();
    const first = Math.round(performance.now() - start);
    return {
      measure: async () => {
        const began = performance.now();
        await openLibrary(root).list();
        return performance.now() - began;
      },
      notes: () => ({ "first list, ms": first }),
    };
  },
};

export const skillBenches: readonly Bench[] = [chooseByWords, chooseByMeaning, listAgain];
