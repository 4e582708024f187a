/** An update as the store keeps it: episodes, skills with what they changed, metrics, and the credit of one group in full. */
import { mean } from "../base/index.ts";
import type { Skill } from "../skill/index.ts";
import { isLineField } from "../store/check.ts";
import type { RunWriter } from "../store/store.ts";
import type { JsonObject, TokenStream, Trajectory } from "../trajectory/index.ts";
import { isSeen } from "../trajectory/tally.ts";
import type { NoticeEvent, UpdateEvent } from "./events.ts";
import type { Credited, UpdateRecord } from "../update/record.ts";

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

export interface UsedSkill {
  readonly skill: Skill;
  readonly trajectory: string;
  /** The step it was for, where it was for one. */
  readonly step: number | undefined;
  /** Mean shift of the tokens that were scored with it, in nats. */
  readonly shift: number;
  readonly tokens: number;
}

/** Skills that a teacher had in its context, with what they changed. */
export function usedSkills({ episodes, analyses, taught }: UpdateRecord): UsedSkill[] {
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
