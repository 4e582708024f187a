/** Maestro: does a policy that learns whom to ask beat the best single expert at the same cost, and use one it never met? */
import { bootstrap, tInterval } from "limbeck/eval";
import { createRng, type Rng, type Env, type Episode, type Task, type Trajectory } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { pick } from "../../packages/base/src/base/rng.ts";
import { wrapEnv, wrapEpisode, type Demonstrator, createHousehold } from "limbeck/env";
import { expert } from "../../packages/worlds/src/household/demonstrators.ts";
import type { FamilyId } from "../../packages/worlds/src/household/families.ts";
import {
  createDemonstratorExpert,
  withExperts,
  type Expert,
  createStrategy,
  createDemonstratorAgent,
  rollOut,
} from "limbeck/search";
import type { OrchestratedEnv } from "../../packages/core/src/orchestrate/with-experts.ts";
import { openOutcomes } from "./outcomes.ts";
import { shown } from "../shown.ts";
import type { Study } from "./study.ts";
import { withFolder, withTinyModel, withTinyTraining, writeStart, type Lesson } from "./tiny-training.ts";

const SEEDS = [1, 2, 3, 4, 5];
const UPDATES = 100;
/** Batches of lessons before the training, and how often they name an expert of the right family. */
const LESSONS = 150;
const RIGHT = 0.5;
const TEST_TASKS = 180;
/** What asking earns: as published no price and 1 off for an answer in no form; with a price of ours. */
const INCENTIVES = {
  published: { costWeight: 0, formatPenalty: 1 },
  priced: { costWeight: 0.1, formatPenalty: 0 },
} as const;
const SETTINGS = {
  tasks: 24,
  group: 8,
  prompts: "rebuilt",
  answerTokens: 16,
  learningRate: 3e-3,
  entropyWeight: 0.003,
};
type Incentive = keyof typeof INCENTIVES;
const INCENTIVE_NAMES = Object.keys(INCENTIVES) as readonly Incentive[];

/** The word of each family in the names of its experts. */
const WORDS: Readonly<Record<FamilyId, string>> = {
  pick_and_place_simple: "place",
  look_at_obj_in_light: "light",
  pick_clean_then_place_in_recep: "clean",
  pick_heat_then_place_in_recep: "heat",
  pick_cool_then_place_in_recep: "cool",
  pick_two_obj_and_place: "pair",
};
/** Their masters are added after the training. */
const NEW: readonly FamilyId[] = ["pick_cool_then_place_in_recep", "pick_two_obj_and_place"];

/** What an expert does where it slips or knows nothing: any accepted command. */
const muddler: Demonstrator = {
  id: "muddler",
  summary: "Any accepted command.",
  start: (_, rng) => ({ next: ({ admissible = [] }) => pick(admissible, rng) ?? "look" }),
};

const GRADES = {
  novice: { price: 0.5, slips: 0.4 },
  master: { price: 1, slips: 0.02 },
} as const;

function specialist(family: FamilyId, grade: keyof typeof GRADES): Expert {
  const { price, slips } = GRADES[grade];
  return createDemonstratorExpert({
    name: `${WORDS[family]} ${grade}`,
    skill: family,
    description: grade === "master" ? "rarely wrong" : "often wrong",
    price,
    slips,
    demonstrator: expert,
    knows: ({ data }) => data?.["family"] === family,
    otherwise: muddler,
  });
}

const generalist = createDemonstratorExpert({
  name: "any helper",
  skill: "everything",
  description: "every errand, often wrong",
  price: 1,
  slips: 0.4,
  demonstrator: expert,
  otherwise: muddler,
});

const everyFamily = Object.keys(WORDS) as FamilyId[];
const novices = everyFamily.map((family) => specialist(family, "novice"));
const masters = everyFamily.filter((family) => !NEW.includes(family)).map((family) => specialist(family, "master"));
const added = NEW.map((family) => specialist(family, "master"));
const known: readonly Expert[] = [...novices, ...masters, generalist];

/**
 * The household with these experts, each of which plays to the end. The orchestrator, too small to read a list, is shown the
 * goal, and its answers are confined to the names on the list: which experts there are it sees by what it can say.
 */
function world(experts: readonly Expert[], incentive: Incentive): OrchestratedEnv {
  const house = createHousehold({ dial: "tiny", winReward: 1 });
  const asking = withExperts(house, {
    experts,
    turns: null,
    ...INCENTIVES[incentive],
    mostCalls: 1,
    remind: true,
    actsItself: false,
  });
  return { ...brief(asking), experts };
}

function brief(env: Env): Env {
  const short = ({ goal }: Task): string => `Task: ${goal}`;
  const wrap = (inner: Episode): Episode =>
    wrapEpisode(inner, {
      get observation() {
        return short(inner.task);
      },
      step: async (action, options) => {
        const result = await inner.step(action, options);
        return { ...result, observation: short(inner.task) };
      },
      fork: async () => wrap(await inner.fork()),
    });
  return wrapEnv(env, wrap);
}

async function tasksOf(split: string, count: number, offset = 0): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of createHousehold({ dial: "tiny" }).tasks(split, { count, offset })) tasks.push(task);
  return tasks;
}

interface Figures {
  readonly success: number;
  readonly cost: number;
  readonly reward: number;
}

const paid = ({ steps }: Trajectory): number =>
  steps.reduce(
    (sum, { info }) => sum + ((info?.["orchestrate"] as { readonly price?: number } | undefined)?.price ?? 0),
    0,
  );
const asked = ({ steps }: Trajectory, name: string): boolean =>
  steps.some(({ info }) => (info?.["orchestrate"] as { readonly expert?: string } | undefined)?.expert === name);
const familyOf = ({ task }: Trajectory): FamilyId => task.data?.["family"] as FamilyId;

function figures(trajectories: readonly Trajectory[]): Figures {
  const rewards = trajectories.map(({ reward }) => (reward.kind === "scored" ? reward.value : 0));
  return {
    success: mean(trajectories.map(({ success }) => Number(success === true))),
    cost: mean(trajectories.map(paid)),
    reward: mean(rewards),
  };
}

/** The same tasks with the same expert every time. */
async function single(
  name: string,
  experts: readonly Expert[],
  tasks: readonly Task[],
  incentive: Incentive,
  seed: number,
): Promise<Figures> {
  const asks: Demonstrator = { id: name, summary: "", start: () => ({ next: () => `ask ${name}` }) };
  const strategy = createStrategy("group", { size: 1 });
  const agent = createDemonstratorAgent(asks);
  return figures((await rollOut({ env: world(experts, incentive), agent, strategy, tasks, seed })).trajectories);
}

interface Outcome {
  readonly trained: Figures;
  readonly best: Figures;
  readonly bestName: string;
  /** On the families whose masters are new: without and with them, and how often they were asked. */
  readonly before: Figures;
  readonly after: Figures;
  readonly use: number;
  /** On the other families, the share of calls to an expert of the wrong family, with the new ones in the list. */
  readonly misuse: number;
}

async function measured(
  incentive: Incentive,
  seed: number,
  start: string,
  note: (line: string) => void,
): Promise<Outcome> {
  const tasks = await tasksOf("test", TEST_TASKS, seed * TEST_TASKS);
  const training = {
    recipe: "maestro",
    // Without the deviation: in a group that failed throughout only prices differ, and dividing would make them all that counts.
    credit: "dr-grpo",
    settings: SETTINGS,
    env: world(known, incentive),
    start,
    updates: UPDATES,
    seed,
    onUpdate: ({ update, success, reward }: { update: number; success: number; reward: number }) =>
      note(`${incentive} seed ${seed} update ${update}: success ${success.toFixed(3)}, reward ${reward.toFixed(3)}`),
  };
  return await withTinyTraining(training, async ({ play }) => {
    const old = await play(world(known, incentive), tasks, `${seed} known`);
    const wide = await play(world([...known, ...added], incentive), tasks, `${seed} added`);
    const isNew = (one: Trajectory): boolean => NEW.includes(familyOf(one));
    const singles = await Promise.all(
      known.map(async ({ name }) => ({ name, ...(await single(name, known, tasks, incentive, seed)) })),
    );
    const best = singles.toSorted((one, other) => other.success - one.success)[0] as (typeof singles)[number];
    const ofNew = wide.filter(isNew);
    return {
      trained: figures(old),
      best,
      bestName: best.name,
      before: figures(old.filter(isNew)),
      after: figures(ofNew),
      use: mean(ofNew.map((one) => Number(asked(one, `${WORDS[familyOf(one)]} master`)))),
      misuse: mean(wide.filter((one) => !isNew(one)).map((one) => Number(added.some(({ name }) => asked(one, name))))),
    };
  });
}

/** The orchestrator before it learns anything: the same model, tasks, experts and prompts. */
type Untrained = Pick<Outcome, "trained" | "before" | "after" | "use">;

async function untrained(seed: number, start: string): Promise<Untrained> {
  const tasks = await tasksOf("test", TEST_TASKS, seed * TEST_TASKS);
  return await withTinyModel(start, { settings: SETTINGS }, async ({ play }) => {
    const old = await play(world(known, "published"), tasks, `${seed} known`);
    const wide = await play(world([...known, ...added], "published"), tasks, `${seed} added`);
    const isNew = (one: Trajectory): boolean => NEW.includes(familyOf(one));
    const ofNew = wide.filter(isNew);
    return {
      trained: figures(old),
      before: figures(old.filter(isNew)),
      after: figures(ofNew),
      use: mean(ofNew.map((one) => Number(asked(one, `${WORDS[familyOf(one)]} master`)))),
    };
  });
}

interface ShownTask {
  readonly prompt: string;
  readonly answers: readonly string[];
  readonly family: FamilyId;
}

/** Training tasks as the orchestrator meets them, with the experts of the training and, for the words, the new ones. */
async function shownTasks(): Promise<ShownTask[]> {
  const shownOnes: ShownTask[] = [];
  for (const task of await tasksOf("train", 480)) {
    const episode = await world(known, "published").open(task);
    const answers = [...(episode.admissible() ?? []), ...added.map(({ name }) => `ask ${name}`)];
    shownOnes.push({ prompt: episode.observation, answers, family: task.data?.["family"] as FamilyId });
    await episode.close();
  }
  return shownOnes;
}

/**
 * What the policy can do before it learns: name an expert, one of the right family in some of the cases. Of the grade of a
 * family with one expert it learns nothing, as there is nothing to choose.
 */
function lessonOf(tasks: readonly ShownTask[]): (rng: Rng) => Lesson {
  return (rng) => {
    const { prompt, family } = tasks[rng.int(tasks.length)] as ShownTask;
    const right = known.filter(({ skill }) => skill === family);
    const from = rng.float() < RIGHT ? right : known;
    const { name, skill } = from[rng.int(from.length)] as Expert;
    const only = known.filter((one) => one.skill === skill).length === 1;
    return { prompt, answer: `ask ${name}`, ...(only ? { imitated: `ask ${name.split(" ")[0]}` } : {}) };
  };
}

async function study(print: (line: string) => void, words: readonly string[] = []): Promise<void> {
  const { seeds, of } = await openOutcomes<Outcome>(words, SEEDS);
  const outcomes: Record<Incentive, Outcome[]> = { published: [], priced: [] };
  const { of: ofStart } = await openOutcomes<Untrained>(words, SEEDS);
  const starts: Untrained[] = [];
  const note = (line: string): void => void process.stderr.write(`${line}\n`);
  const prompts = await shownTasks();
  const texts = prompts.flatMap(({ prompt, answers }) => [prompt, ...answers]);
  for (const seed of seeds) {
    await withFolder(async (start) => {
      await writeStart(start, {
        seed,
        texts,
        size: { layers: 1, width: 64, contextLength: 128, vocabulary: 768 },
        lessons: { batches: LESSONS, lesson: lessonOf(prompts) },
      });
      starts.push(await ofStart(`maestro untrained ${seed}`, () => untrained(seed, start)));
      for (const incentive of INCENTIVE_NAMES)
        outcomes[incentive].push(
          await of(`maestro ${incentive} ${seed}`, () => measured(incentive, seed, start, note)),
        );
    });
  }
  for (const incentive of INCENTIVE_NAMES) printOutcomes(incentive, outcomes[incentive], print);
  printControl(outcomes.published, starts, print);
}

/** What the training adds to the model that it began with. */
function printControl(trained: readonly Outcome[], starts: readonly Untrained[], print: (line: string) => void): void {
  const rows = [
    ["success, list as trained", ({ trained: own }: Untrained) => own.success],
    ["success of the two families, list as trained", ({ before }: Untrained) => before.success],
    ["success of the two families, with the new masters", ({ after }: Untrained) => after.success],
    ["new master asked", ({ use }: Untrained) => use],
  ] as const;
  print("### With the training and without (published incentive)\n");
  print("| measure | trained | untrained | difference |\n| --- | ---: | ---: | ---: |");
  for (const [name, of] of rows) {
    const differences = trained.map((one, at) => of(one) - of(starts[at] as Untrained));
    const { mean: centre, low, high } = tInterval(differences);
    print(`| ${name} | ${mean(trained.map(of)).toFixed(3)} | ${mean(starts.map(of)).toFixed(3)} | ${shown(centre, { low, high }, 3)} |`); // prettier-ignore
  }
}

function printOutcomes(incentive: Incentive, outcomes: readonly Outcome[], print: (line: string) => void): void {
  const rng = createRng("maestro");
  const cell = (label: string, value: (one: Outcome) => number, digits = 3): string => {
    const values = outcomes.map(value);
    return shown(mean(values), bootstrap(values, { rng: rng.split(label) }), digits);
  };
  const { costWeight, formatPenalty } = INCENTIVES[incentive];
  print(`### ${incentive}: ${costWeight} off a unit of price, ${formatPenalty} off for an answer in no form\n`);
  print(`${outcomes.length} seeds, ${UPDATES} updates each, ${TEST_TASKS} test games each. Best single expert: ${[...new Set(outcomes.map(({ bestName }) => bestName))].join(", ")}.\n`); // prettier-ignore
  print("| who | success | cost a game | reward |");
  print("| --- | ---: | ---: | ---: |");
  for (const [name, key] of [["orchestrator", "trained"], ["best single expert", "best"]] as const) // prettier-ignore
    print(`| ${name} | ${cell(`${key} s`, (one) => one[key].success)} | ${cell(`${key} c`, (one) => one[key].cost)} | ${cell(`${key} r`, (one) => one[key].reward)} |`); // prettier-ignore
  print(`| difference | ${cell("d s", (one) => one.trained.success - one.best.success)} | ${cell("d c", (one) => one.trained.cost - one.best.cost)} | ${cell("d r", (one) => one.trained.reward - one.best.reward)} |`); // prettier-ignore
  print("\nGames of the two families whose masters were added after the training:\n");
  print("| list | success | cost a game | reward | new master asked |");
  print("| --- | ---: | ---: | ---: | ---: |");
  print(`| as trained | ${cell("b s", (one) => one.before.success)} | ${cell("b c", (one) => one.before.cost)} | ${cell("b r", (one) => one.before.reward)} | |`); // prettier-ignore
  print(`| with the new ones | ${cell("a s", (one) => one.after.success)} | ${cell("a c", (one) => one.after.cost)} | ${cell("a r", (one) => one.after.reward)} | ${cell("use", (one) => one.use)} |`); // prettier-ignore
  print(`| difference | ${cell("n s", (one) => one.after.success - one.before.success)} | ${cell("n c", (one) => one.after.cost - one.before.cost)} | ${cell("n r", (one) => one.after.reward - one.before.reward)} | |`); // prettier-ignore
  print(`\nNew masters asked in games of the other families: ${cell("misuse", (one) => one.misuse)}.\n`);
}

export const maestro: Study = { name: "maestro", title: "Orchestration: Maestro", run: study };
