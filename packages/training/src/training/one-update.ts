/** One update of a training: the recipe on its workbench, what a person should know of it, and its numbers. */
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { createGuard } from "limbeck-core/distill/guard";
import { createSchedule } from "limbeck-policy/policy/schedule";
import type { Skill } from "limbeck-core/skill/skill";
import { wasScreened } from "limbeck-core/skill/screen/screen-analyses";
import { isLineField } from "limbeck-store/store/check";
import type { RunWriter } from "limbeck-store/store/store";
import type { JsonObject } from "limbeck-base/base/json";
import { tally, isSeen, lostWords, NO_ROOM } from "limbeck-base/trajectory/tally";
import type { TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createContext, type UpdateContext } from "limbeck-core/update/context";
import type { Credited, Phase, UpdateRecord } from "limbeck-core/update/record";
import { flattenSettings } from "limbeck-core/update/settings";
import { surprise } from "limbeck-core/update/surprise";
import type { Strategy } from "limbeck-core/walk/line/strategy";
import type { TrainProgress } from "./checkpoint.ts";
import { BRAKE_METRICS, distanceFrom, rateLeft, RELEASED } from "./brake.ts";
import type { NoticeEvent, UpdateEvent } from "./events.ts";
import { vitalMetrics } from "./run-doctor.ts";
import type { Training } from "./training.ts";

interface Updated {
  readonly context: UpdateContext;
  readonly event: Omit<UpdateEvent, "spent">;
  readonly silenced: string | null;
  readonly guard: TrainProgress["guard"];
}

export async function oneUpdate(training: Training, progress: TrainProgress, update: number): Promise<Updated> {
  const { settings, supplier, now, onEvent, onProgress, told } = training;
  const started = now();
  const guard = createGuard({}, progress.guard);
  const left = rateLeft(progress.brake ?? RELEASED);
  const context = createContext({
    ...training,
    update,
    guard,
    silenced: progress.silenced !== null,
    // Checkpoints of earlier versions have none of these.
    creditState: progress.credit ?? null,
    kept: progress.recipe ?? null,
    skills: progress.skills ?? {},
    learningRate: left * rateOf(training, update),
    ...(onProgress === undefined ? {} : { onPhase: (phase: Phase) => onProgress(phase, update, training.updates) }),
    supply: supplier === undefined ? undefined : (own) => takeFrom(training, context, own),
  });
  const { record } = context;
  await training.recipe.update(context, flattenSettings(settings));
  training.teacher.learned();
  await supplier?.learned(update, record.skills);
  const { episodes } = record;
  const counts = tally(episodes);
  if (counts.lost > 0) {
    const message = `Of ${episodes.length} episodes ${lostWords(counts)}. The first: ${counts.first ?? "unknown"}`;
    onEvent({ kind: "notice", update, message });
  }
  const once = record.notices.filter((message) => !told.has(message));
  for (const message of once) told.add(message);
  for (const message of [...analysisNotices(record), ...once]) onEvent({ kind: "notice", update, message });
  if (record.stopTeacher !== undefined && progress.silenced === null && settings.guard === true) {
    onEvent({ kind: "notice", update, message: record.stopTeacher });
  }
  // The first update is played by the start itself.
  const distance =
    settings.brake === "off" || update === 1 ? undefined : await distanceFrom(context.start, episodes, training.signal);
  return {
    context,
    event: {
      kind: "update",
      update,
      updates: training.updates,
      success: counts.solved / counts.seen,
      episodes: episodes.length,
      reward: mean(episodes.flatMap(({ reward }) => (reward.kind === "scored" ? [reward.value] : []))),
      entropy: surprise(episodes),
      metrics: {
        ...record.metrics,
        ...(counts.lost === 0 ? {} : { "episodes/lost": counts.lost }),
        ...(counts.causes[NO_ROOM] === undefined ? {} : { "episodes/context": counts.causes[NO_ROOM] }),
        ...teacherMetrics(record),
        ...vitalMetrics(episodes, training.dialect),
        ...(distance === undefined ? {} : { [BRAKE_METRICS.distance]: distance }),
        ...(left === 1 ? {} : { [BRAKE_METRICS.rate]: left }),
      },
      phases: record.seconds,
      seconds: (now() - started) / 1_000,
    },
    silenced: progress.silenced ?? record.stopTeacher ?? null,
    guard: guard.state,
  };
}

/** Over all updates of the training, the earlier ones included. */
function rateOf({ settings, updates }: Training, update: number): number {
  const { learningRate, warmup: warmupSteps, schedule: kind, finalLearningRate } = settings;
  const length = kind === "constant" ? {} : { steps: updates, finalLearningRate };
  return createSchedule({ kind, learningRate, warmupSteps, ...length })(update - 1);
}

/** The episodes that were played elsewhere, and how stale they are. */
async function takeFrom(
  { supplier, recipeName, deadline }: Training,
  { update, record }: UpdateContext,
  own: Strategy | undefined,
): Promise<readonly Trajectory[]> {
  if (supplier === undefined || own !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `Episodes cannot be played elsewhere (--lag, --fleet): the recipe ${recipeName} plays every update in a way of its own. Leave the flag out.`,
    );
  }
  const { trajectories, metrics } = await supplier.take(update);
  deadline?.check();
  Object.assign(record.metrics, metrics);
  return trajectories;
}

/** Episodes that learn without a teacher, and why. */
function analysisNotices({ metrics, analyses }: UpdateRecord): string[] {
  const errors = [...analyses.values()].filter(({ error }) => error !== undefined);
  const say = (count: number, what: string, screened: boolean): string[] => {
    const why = errors.find((analysis) => wasScreened(analysis) === screened)?.error?.message ?? "unknown";
    return count === 0 ? [] : [`${count} analyses ${what}; their episodes learn without a teacher: ${why}`];
  };
  return [
    ...say(metrics["analyst/failed"] ?? 0, "failed", false),
    ...say(
      Math.max(metrics["analyst/screened"] ?? 0, metrics["context/screened"] ?? 0),
      "were stopped by the screen",
      true,
    ),
  ];
}

function teacherMetrics({ diagnostics, taught, analyses }: UpdateRecord): Record<string, number> {
  if (diagnostics === undefined || taught === undefined) return {};
  const { success, failure, all, active, lost } = diagnostics;
  return {
    "teacher/shift": all.mean,
    "teacher/shiftSpread": all.deviation,
    "teacher/positive": all.positive,
    "teacher/shiftSuccess": success.mean,
    "teacher/shiftFailure": failure.mean,
    "teacher/active": active,
    "teacher/lost": lost,
    "teacher/tokens": taught.tokens,
    "teacher/tokensSaved": taught.tokensSaved,
    "teacher/skilled": analyses.size,
  };
}

// An update as the store keeps it: episodes, skills with what they changed, metrics, and the credit of one group in full.

/** Everything of an update becomes visible at once, so that a resumed run knows which updates are stored. */
export async function recordUpdate(
  writer: RunWriter,
  record: UpdateRecord,
  event: UpdateEvent,
  notices: readonly NoticeEvent[],
): Promise<void> {
  const { update } = event;
  for (const episode of [...record.episodes, ...record.beside]) await writer.append(episode);
  for (const used of usedSkills(record)) {
    const { skill, shift, tokens, trajectory, step } = used;
    await writer.addSkill({
      id: skill.id,
      level: skill.level,
      text: skill.text,
      trajectory,
      ...(step === undefined ? {} : { step }),
      data: { update, shift, tokens, evidence: skill.evidence.map((one) => ({ ...one, steps: [...one.steps] })) },
    });
  }
  await writer.addMetrics(update, metricsOf(event));
  if (record.played !== undefined) await writer.addEvent("tasks", { update, episodes: record.played });
  for (const { kind, group, rows } of creditOfGroups(record)) await writer.addEvent(kind, { update, group, rows });
  for (const { update: at, message } of notices) await writer.addEvent("notice", { update: at, message });
  await writer.addEvent("update", { update, success: event.success, seconds: event.seconds });
  await writer.commit();
}

/** What every update has goes under its own name; a metric of the recipe that is called so is the recipe's. */
function metricsOf({ metrics, success, reward, entropy, seconds, phases, spent }: UpdateEvent): Record<string, number> {
  const own = new Map<string, number>([
    ...Object.entries({ success, reward, entropy, seconds }),
    ...Object.entries(phases).map(([phase, value]) => [`seconds/${phase}`, value] as const),
    ...Object.entries(spent).map(([kind, value]) => [`spent/${kind}`, value] as const),
  ]);
  const named = Object.entries(metrics).map(
    ([name, value]) => [own.has(name) || isLineField(name) ? `recipe/${name}` : name, value] as const,
  );
  return Object.fromEntries([...named, ...own].filter(([, value]) => Number.isFinite(value)));
}

interface UsedSkill {
  readonly skill: Skill;
  readonly trajectory: string;
  /** The step it was for, where it was for one. */
  readonly step: number | undefined;
  /** Mean shift of the tokens that were scored with it, in nats. */
  readonly shift: number;
  readonly tokens: number;
}

/** Skills that a teacher had in its context, with what they changed. */
function usedSkills({ episodes, analyses, taught }: UpdateRecord): UsedSkill[] {
  const used: UsedSkill[] = [];
  for (const episode of episodes) {
    const analysis = analyses.get(episode.id);
    const opinions = taught?.opinions.get(episode.id);
    if (analysis === undefined || opinions === undefined) continue;
    const general: number[] = [];
    for (const { index, span } of episode.steps) {
      const opinion = opinions.get(index);
      const old = span === undefined ? undefined : episode.streams[span.stream]?.logprobs;
      if (opinion === undefined || span === undefined || old === undefined) continue;
      const shifts = (values: Float64Array): number[] =>
        [...values].map((value, token) => value - (old[span.start + token] as number));
      if (opinion.episode !== undefined) general.push(...shifts(opinion.episode));
      const skill = analysis.stepSkills.get(index);
      if (opinion.step === undefined || skill === undefined) continue;
      const own = shifts(opinion.step);
      used.push({ skill, trajectory: episode.id, step: index, shift: mean(own), tokens: own.length });
    }
    const { episodeSkill } = analysis;
    if (episodeSkill === undefined || general.length === 0) continue;
    const shift = mean(general);
    used.push({ skill: episodeSkill, trajectory: episode.id, step: undefined, shift, tokens: general.length });
  }
  return used;
}

interface GroupCredit {
  readonly kind: "credit" | "credit-group";
  readonly group: string;
  readonly rows: JsonObject[];
}

/** What the other groups may take, in tokens: credit is text, and must not outgrow the episodes. */
const OTHER_TOKENS = 100_000;

/**
 * Advantages and shifts. "credit" is the group whose episodes differ most: what a person wants to see of an update. The
 * others are kept too, for views of single episodes.
 */
function creditOfGroups(record: UpdateRecord): GroupCredit[] {
  const { credited, episodes } = record;
  if (credited === undefined) return [];
  const shown = mostMixed(episodes);
  const found: GroupCredit[] = [];
  let left = OTHER_TOKENS;
  for (const group of new Set([...(shown === undefined ? [] : [shown]), ...episodes.map((episode) => episode.group)])) {
    const own = credited.batch.rows.filter((row) => row.task === group);
    const tokens = own.reduce((total, { mask }) => total + mask.length, 0);
    if (group !== shown && (left -= tokens) < 0) break;
    const rows = creditOfOneGroup(record, credited, group);
    if (rows.length > 0) found.push({ kind: group === shown ? "credit" : "credit-group", group, rows });
  }
  return found;
}

function creditOfOneGroup(record: UpdateRecord, credited: Credited, group: string): JsonObject[] {
  const { episodes, taught } = record;
  const { batch, result } = credited;
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  return batch.rows.flatMap((row, at) => {
    if (row.task !== group) return [];
    const step = batch.steps[at];
    const episode = byId.get(row.trajectory);
    const span = step?.span;
    const stream = span === undefined ? undefined : episode?.streams[span.stream];
    const old = stream?.logprobs;
    const divergence =
      span === undefined || stream === undefined
        ? undefined
        : learnedDivergence(record, credited, row.trajectory, stream)?.slice(span.start, span.end).map(rounded);
    const opinion = taught?.opinions.get(row.trajectory)?.get(row.step);
    const word = opinion?.step ?? opinion?.episode;
    const shift =
      word === undefined || old === undefined || span === undefined
        ? undefined
        : [...word].map((value, token) => rounded(value - (old[span.start + token] as number)));
    return [
      {
        trajectory: row.trajectory,
        step: row.step,
        advantages: [...(result.advantages[at] ?? [])].map(rounded),
        terms: termsOf(result, at),
        ...(divergence === undefined ? {} : { divergence: [...divergence] }),
        ...(shift === undefined ? {} : { shift, teacher: opinion?.step === undefined ? "episode" : "step" }),
      },
    ];
  });
}

/** The divergence that was learned from, at each token of a stream; undefined where none was. */
function learnedDivergence(
  { divergences }: UpdateRecord,
  { rows }: Credited,
  trajectory: string,
  stream: TokenStream,
): Float64Array | undefined {
  for (const row of rows) {
    const values = row.trajectory === trajectory ? divergences.get(row.ids) : undefined;
    // A branch has what it shares with its parents in front of its own.
    const start = row.ids.length - stream.ids.length;
    if (values === undefined || start < 0) continue;
    if (stream.ids.every((id, at) => row.ids[start + at] === id)) return values.subarray(start);
  }
  return undefined;
}

/** How the advantages of a row were composed: weight * value, added up; one value for the row or one for each token. */
function termsOf({ terms }: Credited["result"], at: number): JsonObject[] {
  return Object.entries(terms).map(([name, { weight, perRow, perToken }]) => ({
    name,
    weight,
    ...(perRow === undefined ? {} : { value: rounded(perRow[at] ?? 0) }),
    ...(perToken === undefined ? {} : { values: [...(perToken[at] ?? [])].map(rounded) }),
  }));
}

/** The group with the most even mix of successes and failures; undefined when all groups ended alike. */
function mostMixed(episodes: readonly Trajectory[]): string | undefined {
  const groups = new Map<string, { solved: number; all: number }>();
  for (const { group, success } of episodes.filter(isSeen)) {
    const counts = groups.get(group) ?? { solved: 0, all: 0 };
    groups.set(group, { solved: counts.solved + Number(success === true), all: counts.all + 1 });
  }
  let [best, most] = [undefined as string | undefined, 0];
  for (const [group, { solved, all }] of groups) {
    const mixed = Math.min(solved, all - solved);
    if (mixed > most) [best, most] = [group, mixed];
  }
  return best;
}

function rounded(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}
