/** Skill1: success with all three credits, and with each of them taken away. */
import { bootstrap } from "limbeck/eval";
import { createRng, type Rng, type Task, type Trajectory } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { emptyShelf, shelfFromJson, visitOf, withSkillChoice } from "limbeck/search";
import type { Shelf } from "../../packages/core/src/orchestrate/skills/shelf.ts";
import { openOutcomes } from "./outcomes.ts";
import { shown } from "../shown.ts";
import type { Study } from "./study.ts";
import { withFolder, withTinyTraining, writeStart, type Lesson } from "./tiny-training.ts";
import { createWorkshop, TOOLS } from "./workshop.ts";

const SEEDS = [1, 2, 3, 4, 5];
const UPDATES = 24;
const THINGS = 24;
const TEST_TASKS = 256;
/** Batches of lessons before the training, and how often they follow the skill. */
const LESSONS = 150;
const FOLLOWS = 0.7;

const ARMS = {
  "all credits": {},
  "without selection credit": { "credit.selectionCredit": false },
  "without utilisation credit": { "credit.utilisationCredit": false },
  "without distillation credit": { "credit.distilCredit": false },
} as const;
type Arm = keyof typeof ARMS;
const arms = Object.keys(ARMS) as Arm[];

interface Outcome {
  readonly success: number;
  /** The same policy with an empty library: what is in its weights. */
  readonly alone: number;
  /** Share of the choices that were a skill of the very thing that says what to do, not what was tried in vain. */
  readonly fitting: number;
  readonly skills: number;
  /** Of the skills in the library, the share that say what is so. */
  readonly truthful: number;
}

const SETTINGS = {
  tasks: 8,
  group: 8,
  prompts: "rebuilt",
  answerTokens: 8,
  learningRate: 3e-3,
  explore: 0.1,
  utilityRate: 0.2,
  newUtility: "outcome",
  capacity: 300,
  // As published: any skill is found, and writing is credited by its own episode.
  likeness: 0,
  judge: "own",
} as const;

async function measured(arm: Arm, seed: number, start: string, note: (line: string) => void): Promise<Outcome> {
  const env = createWorkshop(THINGS, seed);
  const tasks = [...(env.tasks("test", { count: TEST_TASKS, offset: seed * TEST_TASKS }) as Iterable<Task>)];
  const training = {
    recipe: "skill1",
    settings: { ...SETTINGS, ...ARMS[arm] },
    env,
    start,
    updates: UPDATES,
    seed,
    onUpdate: ({
      update,
      success,
      metrics,
    }: {
      update: number;
      success: number;
      metrics: Readonly<Record<string, number>>;
    }) =>
      note(
        `${arm}, seed ${seed}, update ${update}: success ${success.toFixed(3)}, skills ${metrics["library/skills"]}`,
      ),
  };
  return await withTinyTraining(training, async ({ play, kept }) => {
    const shelf = shelfFromJson(kept);
    const choosing = (with_: Shelf) =>
      withSkillChoice(env, { shelf: with_, retrieval: { bonus: 0 }, writes: false, answers: "listed", remind: true });
    const own = await play(choosing(shelf), tasks, `${seed} library`);
    const alone = await play(choosing(emptyShelf), tasks, `${seed} alone`);
    const chosen = own.map((one) => shelf.skills.find(({ id }) => id === visitOf(one)?.chosen));
    return {
      success: successOf(own),
      alone: successOf(alone),
      fitting: mean(
        own.map((one, at) =>
          Number(chosen[at]?.scenario === one.task.goal && /^(This worked|Do this now)/.test(chosen[at].text)),
        ),
      ),
      skills: shelf.skills.length,
      truthful: mean(await Promise.all(shelf.skills.map(async (skill) => Number(await isTrue(env, skill))))),
    };
  });
}

const successOf = (played: readonly Trajectory[]): number =>
  mean(played.map(({ success }) => Number(success === true)));

/** Whether a skill of the form "lead: use TOOL." says what is so for the goal it was written for. */
async function isTrue(
  env: ReturnType<typeof createWorkshop>,
  { scenario, text }: Shelf["skills"][number],
): Promise<boolean> {
  const tool = /use (\w+)/.exec(text)?.[1] ?? "";
  const task: Task = { id: "", env: "workshop", seed: 0, goal: scenario, split: "test" };
  const { success } = await (await env.open(task)).step(`use ${tool}`);
  return text.startsWith("Already tried") ? success === false : success === true;
}

/**
 * What the policy can do before it learns: act on a skill that says what worked, more often than not. It does not know what to
 * search for, which skill to choose, or which tool mends what.
 */
function lesson(rng: Rng): Lesson {
  const env = createWorkshop(THINGS, 0);
  const [{ goal }] = [...(env.tasks("train", { offset: rng.int(100_000), count: 1 }) as Iterable<Task>)] as [Task];
  const [told, other] = [TOOLS[rng.int(TOOLS.length)] as string, TOOLS[rng.int(TOOLS.length)] as string];
  const lead = ["This worked", "Do this now", "Already tried"][rng.int(3)] as string;
  const follows = lead !== "Already tried" && rng.float() < FOLLOWS;
  return { prompt: `Skill: ${lead}: use ${told}.\n\nTask: mend the ${goal}`, answer: `use ${follows ? told : other}` };
}

/** Goals and what is written about them, so that their words become tokens. */
function corpus(): string[] {
  const env = createWorkshop(THINGS, 0);
  const goals = [...(env.tasks("train", { count: 600 }) as Iterable<Task>)].map(({ goal }) => `Task: mend the ${goal}`);
  const tools = TOOLS;
  const lines = tools.flatMap((tool) => [
    `This worked: use ${tool}.`,
    `Already tried: use ${tool}.`,
    `Do this now: use ${tool}.`,
  ]);
  const frame = [
    "Which skill may help? Say what to search for.",
    "Goal: Task: Which skill?\n1: 2: 3: -> \n",
    "It is mended.\n\nThe task is over: solved.\nWhich is to be remembered?",
    "It is still broken.\n\nThe task is over: not solved.\nSkill: ",
  ];
  return [...goals, ...Array.from({ length: 20 }, () => [...lines, ...frame]).flat()];
}

async function study(print: (line: string) => void, words: readonly string[] = []): Promise<void> {
  const { seeds, of } = await openOutcomes<Outcome>(words, SEEDS);
  const found = new Map<Arm, Outcome[]>(arms.map((arm) => [arm, []]));
  const note = (line: string): void => void process.stderr.write(`${line}\n`);
  for (const seed of seeds) {
    await withFolder(async (start) => {
      const size = { layers: 1, width: 64, contextLength: 256, vocabulary: 512 };
      await writeStart(start, { seed, texts: corpus(), size, lessons: { batches: LESSONS, lesson } });
      for (const arm of arms) {
        found.get(arm)?.push(await of(`skill1 ${arm} ${seed}`, () => measured(arm, seed, start, note)));
      }
    });
  }
  const rng = createRng("skill1");
  const all = found.get("all credits") as Outcome[];
  print(
    `Workshop of ${THINGS} things and ${TOOLS.length} tools. ${seeds.length} seeds, ${UPDATES} updates each, ${TEST_TASKS} test tasks each.\n`,
  );
  print(
    "| credits | success | less than with all | with an empty library | a skill that says what to do chosen | skills | of them true |",
  );
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const [arm, outcomes] of found) {
    const cell = (label: string, values: readonly number[], digits = 3): string =>
      shown(mean(values), bootstrap(values, { rng: rng.split(`${arm} ${label}`) }), digits);
    const less = outcomes.map(({ success }, at) => (all[at] as Outcome).success - success);
    const cells = [
      cell("success", outcomes.map(({ success }) => success)), // prettier-ignore
      arm === "all credits" ? "" : cell("less", less),
      cell("alone", outcomes.map(({ alone }) => alone)), // prettier-ignore
      cell("fitting", outcomes.map(({ fitting }) => fitting)), // prettier-ignore
      mean(outcomes.map(({ skills }) => skills)).toFixed(0),
      cell("truthful", outcomes.map(({ truthful }) => truthful)), // prettier-ignore
    ];
    print(`| ${arm} | ${cells.join(" | ")} |`);
  }
  print("");
}

export const skill1: Study = { name: "skill1", title: "Skills: Skill1's credits", run: study };
