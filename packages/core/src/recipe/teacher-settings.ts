/** The settings of a teacher, and what they make of an update: whether it speaks, about whom, and in which form. */
import { option } from "limbeck-base/base/option";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { TEACHERS, type TeacherId } from "../distill/teacher.ts";
import { candidateDivergence } from "../objective/candidate-divergence.ts";
import { opidAuxiliary } from "../objective/opid-auxiliary.ts";
import { teacherDivergence } from "../objective/teacher-divergence.ts";
import type { WeightedObjective } from "../objective/combine.ts";
import { shouldAnalyse } from "../skill/outcome.ts";
import { TEACHER_MODES } from "../skill/routing.ts";
import { teacherSchedule, type TeacherPlan } from "../skill/schedule.ts";
import { anchorPresets, sectionTemplates } from "../skill/templates.ts";
import { byGroup } from "limbeck-base/trajectory/rows";
import type { Trajectory, Span, JsonObject } from "limbeck-base/trajectory/trajectory";
import { isSeen, tally } from "limbeck-base/trajectory/tally";
import { measure, type UpdateContext, keep } from "../update/context.ts";
import type { CreditingOptions } from "../update/credit.ts";
import type { Taught } from "../update/record.ts";
import { teach, type TeachRequest } from "../update/teach.ts";
import { provenSkills, trustedSkills } from "../update/probe.ts";
import { SKILL_CONTROLS } from "../update/skill-control.ts";
import type { Opinion } from "../distill/score-sequences.ts";
import { gapOf, STILL_TEACHING, watchStudent, type Retirement } from "../distill/retirement.ts";
import { contextOptionTable } from "../distill/contexts/context.ts";
import { contexts, type ContextId } from "../distill/contexts/index.ts";

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
    TEACHERS,
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
  trialEvery: option.count(
    0,
    "updates from one trial of the teacher to the next, the first in the first update: it plays each task once with its skill, and where it does not solve more than the policy did nothing is taught until the next; 0: it is trusted untried",
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
  const { form, replaySkills, trialEvery } = settings;
  const differing = settings.teachGroups === "all" ? undefined : idsOfDiffering(episodes);
  const select = (one: Trajectory): boolean =>
    shouldAnalyse(one, plan) &&
    (!settings.successOnly || one.success === true) &&
    (differing === undefined || differing.has(one.id));
  if (form === "fixed-negative") return countedFixed(update, episodes, fixedNegative(episodes, select));
  // A divergence takes the place of the shift; routing then has both levels, whatever the weights of the shift.
  const { episodeWeight = Number.NaN, stepWeight = Number.NaN } = isDivergence(form)
    ? { episodeWeight: 1, stepWeight: 1 }
    : update.settings.credit;
  const said = await teach(update, episodes, {
    context: "skill",
    candidates,
    analyse: {
      maxStepSkills: settings.stepSkills,
      select,
      control: settings.skillControl,
      prove: async (analyses) => {
        const trusted = trialEvery === 0 ? analyses : await trustedSkills(update, episodes, analyses, trialEvery);
        return replaySkills === 0 ? trusted : await provenSkills(update, episodes, trusted, replaySkills);
      },
    },
    routing: {
      mode: settings.routing,
      episodeWeight,
      stepWeight,
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

/** Where all succeeded, or none, no episode shows what another should have done. */
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
    const weight = settings.credit[name];
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
    objective: opidAuxiliary.create(),
  };
  const { form: direction } = settings;
  if (!isDivergence(direction)) return [auxiliary];
  const objective =
    candidates === "distribution" ? teacherDivergence.create() : candidateDivergence.create({ direction });
  return [{ name: "teacher", weight: settings.divergenceWeight * share, objective }, auxiliary];
}

// Controls of a teacher: one fixed negative advantage in its place. A teacher that does no better than these owes nothing
// to how much it thinks of each word (arXiv 2608.31046 finds them as good).
// Both are written as opinions that lie one nat below what the policy thought, so that the credit method, its weights and
// their fading treat them as it treats a teacher: the advantage is minus the weight.

/** The teacher is read, but only its no counts: every word that it finds less likely gets the same, any other nothing. */
function pushedDown(episodes: readonly Trajectory[], said: Taught): Taught {
  return {
    ...said,
    opinions: opinionsOf(episodes, (episode, step, span) => {
      const opinion = said.opinions.get(episode.id)?.get(step);
      const old = ownLogprobs(episode, span);
      if (opinion === undefined || old === undefined) return undefined;
      const fixed = (teacher: Float64Array): Float64Array =>
        teacher.map((value, token) => (old[token] as number) - (value < (old[token] as number) ? 1 : 0));
      return {
        ...(opinion.episode === undefined ? {} : { episode: fixed(opinion.episode) }),
        ...(opinion.step === undefined ? {} : { step: fixed(opinion.step) }),
      };
    }),
  };
}

/** No teacher is read: every word of the failed episodes among those that it would have read. */
function fixedNegative(episodes: readonly Trajectory[], select: (episode: Trajectory) => boolean): Taught {
  const failed = episodes.filter((episode) => episode.success === false && select(episode));
  return {
    opinions: opinionsOf(failed, (episode, _step, span) => {
      const old = ownLogprobs(episode, span);
      return old === undefined ? undefined : { episode: old.map((value) => value - 1) };
    }),
    lost: [],
    sequences: 0,
    tokens: 0,
    tokensSaved: 0,
    analyses: new Map(),
    missing: [],
    distribution: undefined,
  };
}

/** How many words have a fixed advantage. */
function countFixed(episodes: readonly Trajectory[], { opinions }: Taught): number {
  let count = 0;
  for (const episode of episodes) {
    for (const { index, span } of episode.steps) {
      const opinion = opinions.get(episode.id)?.get(index);
      const word = opinion?.step ?? opinion?.episode;
      const old = span === undefined ? undefined : ownLogprobs(episode, span);
      word?.forEach((value, token) => (count += value < (old?.[token] as number) ? 1 : 0));
    }
  }
  return count;
}

function opinionsOf(
  episodes: readonly Trajectory[],
  make: (episode: Trajectory, step: number, span: Span) => Opinion | undefined,
): ReadonlyMap<string, ReadonlyMap<number, Opinion>> {
  return new Map(
    episodes.map((episode) => {
      const own = episode.steps.flatMap(({ index, span }) => {
        const opinion = span === undefined ? undefined : make(episode, index, span);
        return opinion === undefined ? [] : [[index, opinion] as const];
      });
      return [episode.id, new Map(own)];
    }),
  );
}

/** The policy's log-probabilities of a response at sampling. */
function ownLogprobs({ streams }: Trajectory, { stream, start, end }: Span): Float64Array | undefined {
  const logprobs = streams[stream]?.logprobs;
  return logprobs === undefined ? undefined : Float64Array.from(logprobs.subarray(start, end));
}

// A teacher that retires: what is looked at after an update, and what is kept of it for the next.

interface RetiringSettings {
  readonly retireBelow: number | null;
  readonly retireAtSuccess: number | null;
}

function hasRetired({ kept }: UpdateContext, settings: RetiringSettings): boolean {
  return mayRetire(settings) && retirementOf(kept).retiredAt !== null;
}

/** Where the teacher spoke in this update. The state is the recipe's, and survives a restart. */
function watchRetirement(update: UpdateContext, settings: RetiringSettings, episodes: readonly Trajectory[]): void {
  if (!mayRetire(settings)) return;
  const { kept, record } = update;
  const shift = record.diagnostics?.all;
  const before = retirementOf(kept);
  const { solved, seen } = tally(episodes);
  const told = { update: update.update, shift: shift ?? NOTHING_SAID, success: seen === 0 ? 0 : solved / seen };
  const state = watchStudent(before, told, { below: settings.retireBelow, success: settings.retireAtSuccess });
  keep(update, { ...record.kept, retirement: { ...state } });
  const gap = shift === undefined || shift.tokens === 0 ? {} : { gap: gapOf(shift) };
  measure(update, { ...gap, retired: Number(state.retiredAt !== null) }, "teacher/");
  if (before.retiredAt !== null || state.retiredAt === null) return;
  const shown = (values: readonly number[]): string => values.map((value) => value.toFixed(2)).join(", ");
  record.notices.push(
    `Update ${update.update}: the teacher retires. In its last updates it lay ${shown(state.lastGaps)} nats a token from the policy, in its first ${shown(state.firstGaps)}; the policy's own success was ${shown(state.lastSuccess)}. From here on nothing is analysed or scored.`,
  );
}

const NOTHING_SAID = { tokens: 0, mean: 0, deviation: 0 };

function mayRetire({ retireBelow, retireAtSuccess }: RetiringSettings): boolean {
  return retireBelow !== null || retireAtSuccess !== null;
}

function retirementOf(kept: JsonObject | null): Retirement {
  return (kept?.["retirement"] as unknown as Retirement | undefined) ?? STILL_TEACHING;
}

// Settings of recipes that let a teacher score the episodes, and when that teacher speaks.

/** The teacher, its context, and when it teaches; a recipe gives the defaults that it was published with or needs here. */
export function instructSettings<const Teacher extends TeacherId, const Guard extends boolean>(standard: {
  readonly teacher: Teacher;
  readonly context: ContextId;
  readonly guard: Guard;
  readonly decay?: number;
}) {
  const { analyst, stepSkills, sections, anchors, teacher, teacherSource, teacherDecay, startAfter, stopAfter, guard } =
    teacherSettings;
  return {
    teacher: { ...teacher, default: standard.teacher, meaning: "who scores the episodes" },
    teacherSource,
    teacherDecay: { ...teacherDecay, default: standard.decay ?? teacherDecay.default },
    context: option.choice(
      standard.context,
      Object.keys(contexts) as ContextId[],
      "what the teacher is told beyond what the policy saw",
    ),
    "context.steps": contextOptionTable.steps,
    "context.siblings": contextOptionTable.siblings,
    "context.refusals": contextOptionTable.refusals,
    "context.horizon": contextOptionTable.horizon,
    analyst,
    stepSkills,
    sections,
    anchors,
    startAfter,
    stopAfter,
    guard: { ...guard, default: standard.guard },
  } as const;
}

type InstructSettings = OptionValues<ReturnType<typeof instructSettings<TeacherId, boolean>>>;

/** What the teacher says in this update; undefined where the schedule has it silent or the guard has stopped it. */
export async function teachOnSchedule(
  update: UpdateContext,
  settings: Pick<InstructSettings, "context" | "startAfter" | "stopAfter" | "guard">,
  episodes: readonly Trajectory[],
  request: Omit<TeachRequest, "context">,
): Promise<Taught | undefined> {
  const { teacherOn } = teacherSchedule(update.update, settings);
  if (!teacherOn || (settings.guard && update.silenced)) return undefined;
  return await teach(update, episodes, { context: settings.context, ...request });
}
