/** The settings of a teacher, and what they make of an update: whether it speaks, about whom, and in which form. */
import type { OptionTable, OptionValues } from "../base/index.ts";
import { teachers, type Rescored } from "../distill/index.ts";
import {
  anchorPresets,
  sectionTemplates,
  shouldAnalyse,
  TEACHER_MODES,
  teacherSchedule,
  type Analysis,
  type InjectionOptions,
} from "../skill/index.ts";
import { objectives, type WeightedObjective } from "../objective/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import { SKILL_CONTROLS } from "./skill-control.ts";
import type { CreditingOptions } from "./credit-episodes.ts";
import type { Workbench } from "./workbench.ts";

export const teacherSettings = {
  analyst: {
    kind: "choice",
    default: "statistics",
    choices: ["statistics", "model"],
    meaning: "who writes the skills: what the group itself shows, or a chat model",
  },
  stepSkills: { kind: "number", default: 5, least: 0, whole: true, meaning: "most critical steps of an episode" },
  routing: {
    kind: "choice",
    default: "step_priority",
    choices: TEACHER_MODES,
    meaning: "which skill a step is scored with; step_priority is critical first",
  },
  sections: {
    kind: "choice",
    default: "compact",
    choices: Object.keys(sectionTemplates),
    meaning: "how a skill is written into the prompt; the bundled model reads compact",
  },
  anchors: {
    kind: "choice",
    default: "published",
    choices: Object.keys(anchorPresets),
    meaning: "the lines of the prompt beside which a skill is placed",
  },
  teacher: {
    kind: "choice",
    default: "reference",
    choices: Object.keys(teachers),
    meaning: "who scores with the skill: the frozen start, the policy itself, a running average, or others",
  },
  teacherSource: {
    kind: "text",
    default: null,
    meaning: "for teachers that are elsewhere: a folder, an address, or a list of teachers",
  },
  teacherDecay: { kind: "number", default: 0.95, least: 0, most: 1, meaning: "what the running average keeps" },
  form: {
    kind: "choice",
    default: "shift",
    choices: ["shift", "forward", "reverse"],
    meaning:
      "shift: of the sampled token, as an advantage; forward, reverse: divergence of the distributions, as a loss",
  },
  candidates: {
    kind: "limit",
    default: null,
    least: 1,
    whole: true,
    meaning: "words compared by a divergence; none: all, or the 64 likeliest of more than 8,192",
  },
  divergenceWeight: { kind: "number", default: 0.1, least: 0, meaning: "weight of the divergence" },
  auxiliaryWeight: { kind: "number", default: 0, least: 0, meaning: "weight of the auxiliary loss of published code" },
  startAfter: { kind: "limit", default: null, least: 0, whole: true, meaning: "updates before the teacher speaks" },
  stopAfter: { kind: "limit", default: null, least: 0, whole: true, meaning: "last update in which it speaks" },
  fadeOver: {
    kind: "limit",
    default: null,
    least: 1,
    whole: true,
    meaning: "updates over which its weight falls evenly to nothing; then it is off; none: it does not fall",
  },
  failedOnly: { kind: "flag", default: false, meaning: "analyse failed episodes only" },
  successOnly: { kind: "flag", default: false, meaning: "analyse successful episodes only" },
  skillControl: {
    kind: "choice",
    default: "none",
    choices: SKILL_CONTROLS,
    meaning:
      "other texts in the place of the skills: of another episode, of another task, filler, or the expert's own way",
  },
  failedOnlyAfter: { kind: "limit", default: null, least: 0, whole: true, meaning: "from then on failed ones only" },
  guard: { kind: "flag", default: true, meaning: "stop the teacher, with a reason, when it has gone bad" },
} as const satisfies OptionTable;

export type TeacherSettings = OptionValues<typeof teacherSettings>;

export interface Taught {
  analyse(episodes: readonly Trajectory[]): Promise<ReadonlyMap<string, Analysis>>;
  rescore(episodes: readonly Trajectory[], skills: ReadonlyMap<string, Analysis>): Promise<Rescored | undefined>;
  readonly crediting: CreditingOptions;
  readonly objectives: readonly WeightedObjective[];
}

/** Beyond so many words a distribution for every token is more than memory should hold. */
const WHOLE_VOCABULARY = 8_192;
const LIKELIEST = 64;

const NO_SKILLS: ReadonlyMap<string, Analysis> = new Map();

/** When the teacher is off this update, nothing is analysed or scored, and the rest goes on as if there were none. */
export function whenTaught(bench: Workbench, settings: TeacherSettings & Readonly<Record<string, unknown>>): Taught {
  const plan = teacherSchedule(bench.update, settings);
  const on = plan.teacherOn && !(settings.guard && bench.silenced);
  const wide = settings.form !== "shift";
  const asked = settings.candidates ?? (bench.vocabularySize > WHOLE_VOCABULARY ? LIKELIEST : null);
  const candidates = settings.form === "reverse" ? (asked ?? bench.vocabularySize) : asked;
  // A divergence takes the place of the shift; routing then has both levels, whatever the weights of the shift.
  const weight = (name: string): number => (wide ? 1 : Number(settings[name]));
  const routing = {
    mode: settings.routing,
    episodeWeight: weight("credit.episodeWeight"),
    stepWeight: weight("credit.stepWeight"),
    ...injectionOf(settings),
  };
  return {
    analyse: async (episodes) =>
      on
        ? await bench.analyse(episodes, {
            maxStepSkills: settings.stepSkills,
            select: (trajectory) =>
              shouldAnalyse(trajectory, plan) && (!settings.successOnly || trajectory.success === true),
            control: settings.skillControl,
          })
        : NO_SKILLS,
    rescore: async (episodes, skills) =>
      on ? await bench.rescore(episodes, skills, { forest: routing, distribution: wide }) : undefined,
    crediting: wide
      ? { shiftAsAdvantage: false, distribution: { vocabularySize: bench.vocabularySize, candidates } }
      : faded(settings, plan.share),
    objectives: on ? teacherObjectives(settings, candidates, plan.share) : [],
  };
}

/** How skills are written into prompts, by the settings of any recipe; those without a teacher get the defaults. */
export function injectionOf(settings: Readonly<Record<string, unknown>>): InjectionOptions {
  const { sections = "compact", anchors = "published" } = settings;
  return {
    template: sectionTemplates[sections as keyof typeof sectionTemplates],
    anchors: anchorPresets[anchors as keyof typeof anchorPresets],
  };
}

/** The weights of the shift with what the schedule leaves of them. */
function faded(settings: Readonly<Record<string, unknown>>, share: number): CreditingOptions {
  if (share === 1) return {};
  const weights = ["episodeWeight", "stepWeight"].flatMap((name) => {
    const weight = settings[`credit.${name}`];
    return typeof weight === "number" ? [[name, weight * share] as const] : [];
  });
  return { creditOptions: Object.fromEntries(weights) };
}

function teacherObjectives(settings: TeacherSettings, candidates: number | null, share: number): WeightedObjective[] {
  const auxiliary: WeightedObjective = {
    name: "auxiliary",
    weight: settings.auxiliaryWeight * share,
    objective: objectives["opid-auxiliary"].create(),
  };
  if (settings.form === "shift") return [auxiliary];
  const direction = settings.form;
  const objective =
    candidates === null
      ? objectives["teacher-divergence"].create()
      : objectives["candidate-divergence"].create({ direction });
  return [{ name: "teacher", weight: settings.divergenceWeight * share, objective }, auxiliary];
}
