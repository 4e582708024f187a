/** The teacher's word on each token: how much likelier the policy finds it with the skill in its prompt. */
import { deviation, mean } from "limbeck-base/base/statistics/summary";
import { entry, real } from "./columns.ts";
import type { CreditRow, IndexedBatch } from "./credit.ts";
import { rowFault } from "./row.ts";
import { eachTrained, tokenArrays } from "./tokens.ts";

const FLAT = 1e-6;

export interface TeacherOptions {
  /** Centre and scale over the active tokens of the batch. */
  readonly normalize: boolean;
  readonly clip: number | null;
}

export interface TeacherWeights {
  readonly episodeWeight: number;
  readonly stepWeight: number;
  readonly teacherMode: string;
}

/** Which teachers a row listens to. A weight of 0 silences a teacher before the modes are looked at. */
export function teacherSources(
  row: Pick<CreditRow, "logprobs" | "useEpisodeSkill" | "useStepSkill">,
  options: TeacherWeights,
): { readonly episode: boolean; readonly step: boolean } {
  const step = options.stepWeight !== 0 && (row.useStepSkill ?? row.logprobs?.stepTeacher !== undefined);
  const offered = row.useEpisodeSkill ?? row.logprobs?.episodeTeacher !== undefined;
  const yields = step && options.teacherMode === "step_priority";
  return { episode: options.episodeWeight !== 0 && offered && !yields, step };
}

/** 1 for rows that listen to a teacher. */
export interface TeachersUsed {
  readonly episodeTeacher: Uint8Array;
  readonly stepTeacher: Uint8Array;
  readonly any: Uint8Array;
}

export function teachersUsed({ rows }: IndexedBatch, options: TeacherWeights): TeachersUsed {
  const sources = rows.map((row) => teacherSources(row, options));
  return {
    episodeTeacher: Uint8Array.from(sources, ({ episode }) => Number(episode)),
    stepTeacher: Uint8Array.from(sources, ({ step }) => Number(step)),
    any: Uint8Array.from(sources, ({ episode, step }) => Number(episode || step)),
  };
}

/** D[row][token] = (lp_teacher - lp_old) where the row is active, else 0. */
export function teacherAdvantages(
  batch: IndexedBatch,
  source: "episodeTeacher" | "stepTeacher",
  active: Uint8Array,
  options: TeacherOptions,
): Float64Array[] {
  const { rows } = batch;
  const shifts = tokenArrays(rows);
  for (const [at, row] of rows.entries()) {
    if (active[at] === 0) continue;
    const [teacher, old, target] = [logprobsOf(row, at, source), logprobsOf(row, at, "old"), entry(shifts, at)];
    eachTrained(row.mask, (token) => (target[token] = real(teacher, token) - real(old, token)));
  }
  if (options.normalize) normalise(batch, shifts, active);
  const { clip } = options;
  if (clip === null) return shifts;
  return shifts.map((values) => values.map((value) => Math.max(-clip, Math.min(clip, value))));
}

function logprobsOf(row: CreditRow, at: number, name: "old" | "episodeTeacher" | "stepTeacher"): Float64Array {
  const values = row.logprobs?.[name];
  if (values !== undefined) return values;
  const why =
    name === "old"
      ? "is missing; the teacher is compared with the policy's own log-probabilities. Score the response without the skill and add them."
      : `is missing although the row says that it uses this skill. Add it, or set ${name === "stepTeacher" ? "useStepSkill" : "useEpisodeSkill"} to false.`;
  throw rowFault(row, at, `logprobs.${name}`, why);
}

/** Population statistics over all active tokens. A spread below 1e-6 only centres. */
function normalise(batch: IndexedBatch, shifts: readonly Float64Array[], active: Uint8Array): void {
  const values: number[] = [];
  eachActive(batch, shifts, active, (value) => values.push(value));
  if (values.length === 0) return;
  const centre = mean(values);
  const spread = deviation(values);
  const scale = spread > FLAT ? spread + FLAT : 1;
  eachActive(batch, shifts, active, (value, token, own) => (own[token] = (value - centre) / scale));
}

/** Mean over all active tokens; 0 without any. */
export function activeMean(batch: IndexedBatch, shifts: readonly Float64Array[], active: Uint8Array): number {
  let [tokens, sum] = [0, 0];
  eachActive(batch, shifts, active, (value) => {
    tokens += 1;
    sum += value;
  });
  return tokens === 0 ? 0 : sum / tokens;
}

function eachActive(
  { rows }: IndexedBatch,
  shifts: readonly Float64Array[],
  active: Uint8Array,
  visit: (value: number, token: number, own: Float64Array) => void,
): void {
  for (const [at, { mask }] of rows.entries()) {
    const own = entry(shifts, at);
    if (active[at] === 1) eachTrained(mask, (token) => visit(real(own, token), token, own));
  }
}
