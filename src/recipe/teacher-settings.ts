/** The settings of a teacher, and what they make of an update: whether it speaks, about whom, and in which form. */
import { option, type OptionTable, type OptionValues } from "../base/index.ts";
import { teachers } from "../distill/index.ts";
import { objectives, type WeightedObjective } from "../objective/index.ts";
import { shouldAnalyse } from "../skill/outcome.ts";
import { TEACHER_MODES } from "../skill/routing.ts";
import { teacherSchedule, type TeacherPlan } from "../skill/schedule.ts";
import { anchorPresets, sectionTemplates } from "../skill/templates.ts";
import { byGroup, type Trajectory } from "../trajectory/index.ts";
import { isSeen } from "../trajectory/tally.ts";
import { measure, type UpdateContext } from "../update/context.ts";
import type { CreditingOptions } from "../update/credit.ts";
import type { Taught } from "../update/record.ts";
import { teach, type TeachRequest } from "../update/teach.ts";
import { provenSkills } from "../update/probe.ts";
import { SKILL_CONTROLS } from "../update/skill-control.ts";
import { countFixed, fixedNegative, pushedDown } from "./fixed-advantage.ts";
import { hasRetired, watchRetirement } from "./retired-teacher.ts";

export const teacherSettings = {
  analyst: option.choice(
    "statistics",
    ["statistics", "model"],
    "who writes the skills: what the group itself shows, or a chat model",
  ),
  stepSkills: option.count(5, "most critical steps of an episode", 0),
  routing: option.choice(
    "step_priority",
    TEACHER_MODES,
    "which skill a step is scored with; step_priority is critical first",
  ),
  sections: option.choice(
    "compact",
    Object.keys(sectionTemplates),
    "how a skill is written into the prompt; the bundled model reads compact",
  ),
  anchors: option.choice(
    "published",
    Object.keys(anchorPresets),
    "the lines of the prompt beside which a skill is placed",
  ),
  teacher: option.choice(
    "reference",
    Object.keys(teachers),
    "who scores with the skill: the frozen start, the policy itself, a running average, or others",
  ),
  teacherSource: option.text(null, "for teachers that are elsewhere: a folder, an address, or a list of teachers"),
  teacherDecay: option.share(0.95, "what the running average keeps"),
  form: option.choice(
    "shift",
    ["shift", "forward", "reverse", "push-down", "fixed-negative"],
    "shift: of the sampled token, as an advantage; forward, reverse: divergence of the distributions, as a loss; controls: push-down, one fixed negative advantage for each token the teacher finds less likely; fixed-negative, the same for each token of failed episodes, and no teacher is read",
  ),
  candidates: option.limit(null, "words compared by a divergence; none: all, or the 64 likeliest of more than 8,192", {
    least: 1,
    whole: true,
  }),
  divergenceWeight: option.number(0.1, "weight of the divergence", { least: 0 }),
  auxiliaryWeight: option.number(0, "weight of the auxiliary loss of published code", { least: 0 }),
  startAfter: option.limit(null, "updates before the teacher speaks", { least: 0, whole: true }),
  stopAfter: option.limit(null, "last update in which it speaks", { least: 0, whole: true }),
  fadeOver: option.limit(
    null,
    "updates over which its weight falls evenly to nothing; then it is off; none: it does not fall",
    { least: 1, whole: true },
  ),
  teachEvery: option.count(1, "updates from one in which it speaks to the next; 1: it speaks in all of them"),
  teachGroups: option.choice(
    "all",
    ["all", "differing"],
    "whose episodes it reads; differing: of groups in which some succeeded and some did not",
  ),
  retireBelow: option.limit(
    null,
    "the teacher retires for good once its gap (root mean square of the shift, in nats) in the last three taught updates is below this share of that in the first three; none: the gap does not decide",
    { least: 0 },
  ),
  retireAtSuccess: option.limit(
    null,
    "it retires for good once the policy's own success in the last three taught updates is this large; none: success does not decide",
    { least: 0, most: 1 },
  ),
  replaySkills: option.count(
    0,
    "times that the teacher plays each task again with the skill of its group; where it solves no larger share than the group did, nobody of the group is taught; 0: skills are not tried",
    0,
  ),
  failedOnly: option.flag(false, "analyse failed episodes only"),
  successOnly: option.flag(false, "analyse successful episodes only"),
  skillControl: option.choice(
    "none",
    SKILL_CONTROLS,
    "other texts in the place of the skills: of another episode, of another task, filler, or the expert's own way",
  ),
  failedOnlyAfter: option.limit(null, "from then on failed ones only", { least: 0, whole: true }),
  guard: option.flag(true, "stop the teacher, with a reason, when it has gone bad"),
} as const satisfies OptionTable;

export type TeacherSettings = OptionValues<typeof teacherSettings>;

/** Beyond so many words a distribution for every token is more than memory should hold. */
const WHOLE_VOCABULARY = 8_192;
const LIKELIEST = 64;

export interface TaughtBySkills {
  /** What the teacher says with the skills in view; undefined where it is silent in this update. */
  readonly said: Taught | undefined;
  readonly crediting: CreditingOptions;
  readonly terms: readonly WeightedObjective[];
}

/** When the teacher is off this update, nothing is analysed or scored, and the rest goes on as if there were none. */
export async function teachSkills(
  update: UpdateContext,
  settings: TeacherSettings,
  episodes: readonly Trajectory[],
): Promise<TaughtBySkills> {
  const plan = teacherSchedule(update.update, settings);
  const on = plan.teacherOn && !(settings.guard && update.silenced) && !hasRetired(update, settings);
  const isWide = isDivergence(settings.form);
  const candidates = isWide ? comparedWords(settings, update.model) : null;
  const said = on ? await opinions(update, settings, episodes, { candidates, plan }) : undefined;
  watchRetirement(update, settings, episodes);
  return {
    said,
    crediting: isWide ? { shiftAsAdvantage: false } : faded(update, plan.share),
    terms: on ? teacherTerms(settings, candidates, plan.share) : [],
  };
}

/** What the teacher says, or what stands in its place as a control. */
async function opinions(
  update: UpdateContext,
  settings: TeacherSettings,
  episodes: readonly Trajectory[],
  { candidates, plan }: { readonly candidates: TeachRequest["candidates"]; readonly plan: TeacherPlan },
): Promise<Taught> {
  const { form, replaySkills } = settings;
  const differing = settings.teachGroups === "all" ? undefined : idsOfDiffering(episodes);
  const select = (one: Trajectory): boolean =>
    shouldAnalyse(one, plan) &&
    (!settings.successOnly || one.success === true) &&
    (differing === undefined || differing.has(one.id));
  if (form === "fixed-negative") return countedFixed(update, episodes, fixedNegative(episodes, select));
  // A divergence takes the place of the shift; routing then has both levels, whatever the weights of the shift.
  const weight = (name: string): number => (isDivergence(form) ? 1 : Number(update.settings[`credit.${name}`]));
  const said = await teach(update, episodes, {
    context: "skill",
    candidates,
    analyse: {
      maxStepSkills: settings.stepSkills,
      select,
      control: settings.skillControl,
      ...(replaySkills === 0
        ? {}
        : { prove: async (analyses) => await provenSkills(update, episodes, analyses, replaySkills) }),
    },
    routing: {
      mode: settings.routing,
      episodeWeight: weight("episodeWeight"),
      stepWeight: weight("stepWeight"),
    },
  });
  return form === "push-down" ? countedFixed(update, episodes, pushedDown(episodes, said)) : said;
}

function countedFixed(update: UpdateContext, episodes: readonly Trajectory[], said: Taught): Taught {
  measure(update, { fixedTokens: countFixed(episodes, said) }, "teacher/");
  return said;
}

function isDivergence(form: TeacherSettings["form"]): form is "forward" | "reverse" {
  return form === "forward" || form === "reverse";
}

/** Where everybody succeeded, or nobody, no episode shows what another should have done. */
function idsOfDiffering(episodes: readonly Trajectory[]): ReadonlySet<string> {
  const groups = byGroup(episodes).map(({ trajectories }) => trajectories.filter(isSeen));
  const differ = groups.filter((group) => new Set(group.map(({ success }) => success === true)).size > 1);
  return new Set(differ.flat().map(({ id }) => id));
}

/**
 * How many words a divergence compares. The reverse one reads candidates, so it gets every word as one. A learner with
 * candidates but no divergence over the whole vocabulary, as on a trainer, compares the likeliest.
 */
function comparedWords(
  { candidates, form }: TeacherSettings,
  { statistics, config: { vocabularySize } }: UpdateContext["model"],
): TeachRequest["candidates"] {
  const partly = statistics.includes("candidates") && !statistics.includes("divergence");
  const some = vocabularySize > WHOLE_VOCABULARY || partly;
  const asked = candidates ?? (some ? LIKELIEST : null);
  return asked ?? (form === "reverse" ? "all" : "distribution");
}

/** The weights of the shift with what the schedule leaves of them. */
function faded({ settings }: UpdateContext, share: number): CreditingOptions {
  if (share === 1) return {};
  const weights = ["episodeWeight", "stepWeight"].flatMap((name) => {
    const weight = settings[`credit.${name}`];
    return typeof weight === "number" ? [[name, weight * share] as const] : [];
  });
  return { creditOptions: Object.fromEntries(weights) };
}

function teacherTerms(
  settings: TeacherSettings,
  candidates: TeachRequest["candidates"],
  share: number,
): WeightedObjective[] {
  const auxiliary: WeightedObjective = {
    name: "auxiliary",
    weight: settings.auxiliaryWeight * share,
    objective: objectives["opid-auxiliary"].create(),
  };
  const { form: direction } = settings;
  if (!isDivergence(direction)) return [auxiliary];
  const objective =
    candidates === "distribution"
      ? objectives["teacher-divergence"].create()
      : objectives["candidate-divergence"].create({ direction });
  return [{ name: "teacher", weight: settings.divergenceWeight * share, objective }, auxiliary];
}
