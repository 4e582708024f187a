/**
 * Skill1 with a model that writes: query, choice and skill are its own words (`answers=free`). Does writing become truer, and does it
 * help, beside choosing from a list and beside GRPO without a library?
 *
 *     npx tsx research/proofs/skill1-writes.ts --jobs 16
 *
 * The workshop of `research/results`: 24 things, each mended by one of 4 tools that only trying can tell. The start knows the forms of
 * all answers and nothing of what is true: what it writes names what was done half of the time, and one of three leads at random.
 * Every arm plays the same tasks and as many episodes.
 */
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import type { Rng, Task, Trajectory } from "limbeck";
import { emptyShelf, shelfFromJson, visitOf, withSkillChoice } from "limbeck/search";
import type { Shelf } from "../../packages/core/src/orchestrate/skills/shelf.ts";
import { withFolder, withTinyTraining, writeStart, type Lesson } from "../results/tiny-training.ts";
import { createWorkshop, TOOLS } from "../results/workshop.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const THINGS = 24;
const UPDATES = 60;
const TEST_TASKS = 256;
const FOLLOWS = 0.7;
const LEADS = ["This worked", "Do this now", "Already tried"] as const;

const SHARED = { tasks: 8, group: 8, prompts: "rebuilt", history: 0, answerTokens: 12, learningRate: 1e-3 } as const;
const LIBRARY = { explore: 0.1, utilityRate: 0.2, newUtility: "outcome", capacity: 300, likeness: 0 } as const;
const ARMS = {
  grpo: { recipe: "grpo", settings: {} },
  listed: { recipe: "skill1", settings: { ...LIBRARY, answers: "listed", judge: "later" } },
  "free-own": { recipe: "skill1", settings: { ...LIBRARY, answers: "free", judge: "own" } },
  "free-later": { recipe: "skill1", settings: { ...LIBRARY, answers: "free", judge: "later" } },
  "free-untaught": {
    recipe: "skill1",
    settings: { ...LIBRARY, answers: "free", judge: "own", "credit.distilCredit": false },
  },
} as const;
type Arm = keyof typeof ARMS;

interface Result {
  readonly success: number;
  /** The same policy without a library: what is in its weights. */
  readonly alone: number;
  readonly skills: number;
  /** Shares of all skills, of the first and of the last third as they were written. */
  readonly truthful: number;
  readonly truthfulFirst: number;
  readonly truthfulLast: number;
  /** Share of the choices that were a true skill of the very thing. */
  readonly fitting: number;
  /** Of the queries, the share that name the thing. */
  readonly named: number;
  readonly examples: readonly string[];
}

type Workshop = ReturnType<typeof createWorkshop>;

async function run({ arm, seed, quick }: OneRun): Promise<Result> {
  const { recipe, settings } = ARMS[arm as Arm];
  const env = createWorkshop(THINGS, seed);
  const offset = seed * TEST_TASKS;
  const tasks = [...(env.tasks("test", { count: quick ? 4 : TEST_TASKS, offset }) as Iterable<Task>)];
  return await withFolder(async (start) => {
    const size = { layers: 1, width: 64, contextLength: 256, vocabulary: 512 };
    await writeStart(start, { seed, texts: corpus(), size, lessons: { batches: quick ? 2 : 400, lesson } });
    const training = {
      recipe,
      settings: { ...SHARED, ...settings },
      env,
      start,
      updates: quick ? 2 : UPDATES,
      seed,
      onUpdate: ({ update, success }: { readonly update: number; readonly success: number }) =>
        void process.stderr.write(`${arm}, seed ${seed}, update ${update}: ${success.toFixed(3)}\n`),
    };
    return await withTinyTraining(training, async ({ play, kept }) => {
      if (recipe === "grpo") {
        const alone = successOf(await play(env, tasks, `${seed} alone`));
        const none = { skills: 0, truthful: 0, truthfulFirst: 0, truthfulLast: 0, fitting: 0, named: 0, examples: [] };
        return { ...none, success: alone, alone };
      }
      const shelf = shelfFromJson(kept);
      const { answers } = settings as { readonly answers: "listed" | "free" };
      const choosing = (own: Shelf) =>
        withSkillChoice(env, { shelf: own, retrieval: { bonus: 0 }, writes: false, answers, remind: true });
      const own = await play(choosing(shelf), tasks, `${seed} library`);
      const alone = await play(choosing(emptyShelf), tasks, `${seed} alone`);
      const truths = new Map<number, boolean>();
      for (const skill of shelf.skills) truths.set(skill.id, await isTrue(env, skill));
      const share = (skills: Shelf["skills"]): number => mean(skills.map(({ id }) => Number(truths.get(id))));
      const third = Math.ceil(shelf.skills.length / 3);
      const chosen = own.map((one) => shelf.skills.find(({ id }) => id === visitOf(one)?.chosen));
      return {
        success: successOf(own),
        alone: successOf(alone),
        skills: shelf.skills.length,
        truthful: share(shelf.skills),
        truthfulFirst: share(shelf.skills.slice(0, third)),
        truthfulLast: share(shelf.skills.slice(-third)),
        fitting: mean(
          own.map((one, at) => Number(chosen[at]?.scenario === one.task.goal && truths.get(chosen[at].id) === true)),
        ),
        named: mean(own.map(({ task, steps }) => Number(steps[0]?.action.includes(task.goal)))),
        examples: shelf.skills.slice(-6).map(({ scenario, text }) => `${scenario}: ${text}`),
      };
    });
  });
}

const successOf = (played: readonly Trajectory[]): number =>
  mean(played.map(({ success }) => Number(success === true)));

/** Whether a text of the form "lead: use TOOL." says what is so for the goal it was written for; any other says nothing. */
async function isTrue(env: Workshop, { scenario, text }: Shelf["skills"][number]): Promise<boolean> {
  const [, lead, tool] = /^(This worked|Do this now|Already tried): use (\w+)\.?$/.exec(text) ?? [];
  if (lead === undefined || tool === undefined) return false;
  const task: Task = { id: "", env: "workshop", seed: 0, goal: scenario, split: "test" };
  const { success } = await (await env.open(task)).step(`use ${tool}`);
  return lead === "Already tried" ? success === false : success === true;
}

const one = <Value>(from: readonly Value[], rng: Rng): Value => from[rng.int(from.length)] as Value;
const use = (rng: Rng): string => `use ${one(TOOLS, rng)}`;
const said = (rng: Rng, what: string): string => `${one(LEADS, rng)}: ${what}.`;
const GOALS = [
  ...new Set([...(createWorkshop(THINGS, 0).tasks("train", { count: 600 }) as Iterable<Task>)].map(({ goal }) => goal)),
];
const ASKED = "Which skill may help? Say what to search for.";
const WANTED = "Write down in a few words what helps with such a task next time.";

function lesson(rng: Rng): Lesson {
  const goal = one(GOALS, rng);
  const kind = rng.float();
  if (kind < 0.45) {
    const [told, lead] = [use(rng), one(LEADS, rng)];
    const skill = rng.float() < 0.25 ? "" : `Skill: ${lead}: ${told}.\n\n`;
    const follows = skill !== "" && lead !== "Already tried" && rng.float() < FOLLOWS;
    return { prompt: `${skill}Task: mend the ${goal}`, answer: follows ? told : use(rng) };
  }
  if (kind < 0.65) {
    const answer = rng.float() < 0.5 ? goal : rng.float() < 0.5 ? "mend" : one(GOALS, rng);
    return { prompt: `Task: mend the ${goal}\n\n${ASKED}`, answer };
  }
  if (kind < 0.75) {
    const count = 1 + rng.int(3);
    const found = Array.from({ length: count }, (_, at) => `${at + 1}: ${one(GOALS, rng)} -> ${said(rng, use(rng))}`);
    return { prompt: `Goal: ${goal}\n${found.join("\n")}\nWhich skill?`, answer: String(1 + rng.int(count)) };
  }
  const done = use(rng);
  const solved = rng.float() < 0.25;
  const end = solved
    ? "It is mended.\n\nThe task is over: solved."
    : "It is still broken.\n\nThe task is over: not solved.";
  return {
    prompt: `${end}\nWhat was done: ${done}.\n${WANTED}`,
    answer: said(rng, rng.float() < 0.5 ? done : use(rng)),
  };
}

/** Everything that is said, so that its words become tokens. */
function corpus(): string[] {
  const leads = TOOLS.flatMap((tool) => LEADS.map((lead) => `${lead}: use ${tool}.`));
  const frame = [
    ASKED,
    WANTED,
    "Goal: Task: Which skill?\n1: 2: 3: -> \nSkill: ",
    "It is mended.\n\nThe task is over: solved.\nWhat was done: use saw.\nWhich is to be remembered?",
    "It is still broken.\n\nThe task is over: not solved.\nWhat was done: use glue.\n",
  ];
  const goals = Array.from({ length: 20 }, () => GOALS.map((goal) => `Task: mend the ${goal}`)).flat();
  return [...goals, ...Array.from({ length: 20 }, () => [...leads, ...frame]).flat()];
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  const of = (arm: string) => results.filter((result) => result.arm === arm);
  print(
    "| arm | seeds | success | without a library | skills | true, first and last third | true skill of the thing chosen | queries that name it |",
  );
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const arm of Object.keys(ARMS)) {
    const own = of(arm).map(({ result }) => result);
    if (own.length === 0) continue;
    const all = (what: Exclude<keyof Result, "examples">, digits = 3): string =>
      mean(own.map((result) => result[what])).toFixed(digits);
    print(
      `| ${arm} | ${own.length} | ${all("success")} | ${all("alone")} | ${all("skills", 0)} | ${all("truthfulFirst")} to ${all("truthfulLast")} | ${all("fitting")} | ${all("named")} |`,
    );
  }
  print();
  const against = (arm: string, base: string, what: "success" | "truthfulLast"): void => {
    const differences = of(arm).flatMap(({ seed, result }) => {
      const other = of(base).find((result) => result.seed === seed)?.result;
      return other === undefined ? [] : [result[what] - other[what]];
    });
    if (differences.length > 0) print(`- ${what}, ${arm} minus ${base}: ${differenceWords(differences)}`);
  };
  for (const arm of Object.keys(ARMS).slice(1)) against(arm, "grpo", "success");
  against("free-later", "listed", "success");
  against("free-later", "free-untaught", "success");
  against("free-own", "free-untaught", "success");
  against("free-later", "free-untaught", "truthfulLast");
  against("free-own", "free-untaught", "truthfulLast");
  for (const { arm, seed, result } of results) {
    if (result.examples.length > 0) print(`- ${arm}, ${seed}: ${result.examples.join(" | ")}`);
  }
  print();
}

await runStudy<Result>({ name: "skill1-writes", arms: Object.keys(ARMS), run, report });
