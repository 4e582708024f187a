/** The teacher's word on each token: how much likelier the policy finds it with the skill in its prompt. */
import { deviation, mean } from "../base/index.ts";
import type { CreditRow, IndexedBatch } from "./credit.ts";
import { rowFault } from "./row-name.ts";
import { tokenArrays } from "./token-arrays.ts";

const FLAT = 1e-6;

export interface TeacherOptions {
  /** Centre and scale over the active tokens of the batch. */
  readonly normalize: boolean;
  readonly clip: number | null;
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
  for (let at = 0; at < rows.length; at += 1) {
    if (active[at] === 0) continue;
    const row = rows[at] as CreditRow;
    const teacher = logprobsOf(row, at, source);
    const old = logprobsOf(row, at, "old");
    const target = shifts[at] as Float64Array;
    for (let token = 0; token < row.mask.length; token += 1) {
      if (row.mask[token] === 1) target[token] = (teacher[token] as number) - (old[token] as number);
    }
  }
  if (options.normalize) normalise(rows, shifts, active);
  if (options.clip !== null) clamp(shifts, options.clip);
  return shifts;
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
function normalise(rows: readonly CreditRow[], shifts: readonly Float64Array[], active: Uint8Array): void {
  const values: number[] = [];
  eachActive(rows, active, (at, token) => values.push((shifts[at] as Float64Array)[token] as number));
  if (values.length === 0) return;
  const centre = mean(values);
  const spread = deviation(values);
  const scale = spread > FLAT ? spread + FLAT : 1;
  eachActive(rows, active, (at, token) => {
    const target = shifts[at] as Float64Array;
    target[token] = ((target[token] as number) - centre) / scale;
  });
}

function eachActive(rows: readonly CreditRow[], active: Uint8Array, visit: (row: number, token: number) => void): void {
  for (let at = 0; at < rows.length; at += 1) {
    if (active[at] === 0) continue;
    const { mask } = rows[at] as CreditRow;
    for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) visit(at, token);
  }
}

function clamp(shifts: readonly Float64Array[], limit: number): void {
  for (const values of shifts) {
    for (let token = 0; token < values.length; token += 1) {
      values[token] = Math.max(-limit, Math.min(limit, values[token] as number));
    }
  }
}
