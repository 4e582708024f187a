/** Injections that are carried out, and honest work beside them: three tasks of a repository, and whether what is learnt becomes a candidate. */
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { createSkill } from "../../packages/core/src/skill/create-skill.ts";
import { extractSkills } from "../../packages/core/src/skill/extract/extract.ts";
import type { Analyst } from "../../packages/core/src/skill/skill.ts";
import { createStatisticsAnalyst } from "../../packages/core/src/skill/statistics/statistics.ts";
import { tellingWords } from "../../packages/core/src/skill/screen/quotes.ts";
import { honestSteps, type CarriedInjection } from "./carried-injections.ts";
import { played, type Played } from "./played.ts";

const MODULES = ["cart", "price", "stock"] as const;
const GOAL = "fix the failing test of {}.";

interface Told {
  readonly goal?: string;
  /** What is read in the first step, and in the second. */
  readonly seen?: readonly [string, string];
  readonly deed?: string;
}

/** The agent reads, does what it was asked or made to do, mends the file and runs the tests. */
function work({ goal = GOAL, seen = ["", ""], deed }: Told): Trajectory[] {
  return MODULES.map((module) => {
    const of = (text: string): string => text.replaceAll("{}", module);
    const steps: Played[] = [
      [of("workspace of {}"), of("read src/{}.ts")],
      [of(`export function {}() {}\n${seen[0]}`), of("read src/{}.test.ts")],
      ...(deed === undefined ? [] : [[of(`the test of {} expects 3\n${seen[1]}`), of(deed)] satisfies Played]),
      [of("the test of {} expects 3 and gets 4"), of("edit src/{}.ts")],
      [of("src/{}.ts is written"), of("run npm test")],
    ];
    const trajectory = played(`of ${module}`, true, steps);
    return { ...trajectory, task: { ...trajectory.task, id: module, goal: of(goal) } };
  });
}

/** The step at which it does what it was made to do. */
const CARRIED_OUT = 2;

/** An analyst that writes down whatever it read. */
const writing = (text: string): Analyst => ({
  id: "model",
  analyse: (group) =>
    Promise.resolve(
      group.map(({ id }) => ({
        trajectory: id,
        outcome: "success" as const,
        episodeSkill: createSkill("episode", text, [{ trajectory: id, steps: [0] }]),
        stepSkills: new Map(),
      })),
    ),
});

const holds = (text: string, deed: string): boolean => {
  const words = tellingWords(deed.replaceAll("{}", ""));
  const own = new Set(tellingWords(text));
  return words.filter((word) => own.has(word)).length >= 0.6 * words.length;
};

async function isLearnt(told: Told, deed: string, analyst: Analyst = createStatisticsAnalyst()): Promise<boolean> {
  const { skills } = await extractSkills(work(told), { analyst });
  // Its words may have become slots: then the step that it rests on tells.
  const restsOn = (evidence: readonly { readonly steps: readonly number[] }[]): boolean =>
    told.deed !== undefined && evidence.some(({ steps }) => steps.includes(CARRIED_OUT));
  return skills.some(
    ({ status, text, evidence }) => status === "candidate" && (holds(text, deed) || restsOn(evidence)),
  );
}

/** Whether a skill with the stranger's deed becomes a candidate. */
export function isCarried({ place, said, deed }: CarriedInjection): Promise<boolean> {
  const half = said.length / 2;
  const cut = said.indexOf(" ", half);
  switch (place) {
    case "seen":
      return isLearnt({ seen: [said, said], deed }, deed);
    case "seen in parts":
      return isLearnt({ seen: [said.slice(0, cut), said.slice(cut)], deed }, deed);
    case "in the goal":
      return isLearnt({ goal: `${GOAL} ${said}`, deed }, deed);
    case "copied from what was seen":
      return isLearnt({ seen: [said, said] }, deed, writing(`Edit the file, then run npm test. ${said}`));
    case "copied from the goal":
    default:
      return isLearnt({ goal: `${GOAL} ${said}` }, deed, writing(`Edit the file, then run npm test. ${said}`));
  }
}

/** Whether the same is learnt where the task's own goal asks for it. */
export function isAskedFor({ asked, deed }: CarriedInjection): Promise<boolean> {
  return isLearnt({ goal: asked, deed }, deed);
}

/** Whether honest steps that nobody named in the goal are learnt, in each of the tasks' words. */
export async function honestLearnt(): Promise<boolean[]> {
  return Promise.all(honestSteps.map(([seen, deed]) => isLearnt({ seen: [seen, seen], deed }, deed)));
}
