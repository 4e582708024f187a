/** Skills that were written for a trajectory or its steps, with what was done at the steps that are their evidence. */
import { z } from "zod";
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import type { StepSkill } from "../api/trajectory.ts";
import { dataOf, numberOr } from "../runs/cells.ts";

const EVIDENCE = 12;
const EVIDENCE_STEPS = 20;
const LETTERS = 200;

const evidence = z.array(z.object({ trajectory: z.string(), steps: z.array(z.int()) })).catch([]);
const details = z
  .object({
    update: z.number().nullable().catch(null),
    shift: z.number().nullable().catch(null),
    tokens: z.number().nullable().catch(null),
    evidence,
  })
  .catch({ update: null, shift: null, tokens: null, evidence: [] });

export type Evidence = z.infer<typeof evidence>;
export type SkillDetails = z.infer<typeof details>;

export function skillDetails(data: unknown): SkillDetails {
  return details.parse(dataOf(data) ?? {});
}

/** `whole`: nothing that belongs to the trajectory was written elsewhere in the run. */
export async function readSkillsOf(
  store: Store,
  run: string,
  trajectory: string,
  whole: boolean,
): Promise<StepSkill[]> {
  const sql = `select id, level, text, step, data from skills where trajectory = ${quote(trajectory)} order by step nulls first`;
  const { rows } = await store.query(sql, { run, ...(whole ? { around: [trajectory] } : {}) });
  const read = rows.map(([id, level, text, step, data]) => ({
    id: String(id),
    level: String(level),
    text: String(text),
    step: numberOr(step),
    ...skillDetails(data),
  }));
  const actions = await readActions(
    store,
    run,
    read.flatMap((skill) => skill.evidence),
  );
  return read.map((skill) => ({ ...skill, evidence: withActions(skill.evidence, actions) }));
}

export type Actions = ReadonlyMap<string, string>;

/** What was done at the steps that are evidence. */
export async function readActions(store: Store, run: string, told: Evidence): Promise<Actions> {
  const ids = [...new Set(told.map(({ trajectory }) => trajectory))].slice(0, EVIDENCE * 4);
  if (ids.length === 0) return new Map();
  const { rows } = await store.query(
    `select trajectory, step, left(action, ${LETTERS}) from steps where trajectory in (${ids.map(quote).join(", ")})`,
    { run, around: ids },
  );
  return new Map(rows.map(([trajectory, step, action]) => [placeOf(String(trajectory), Number(step)), String(action)]));
}

export function withActions(told: Evidence, actions: Actions): StepSkill["evidence"] {
  return told.slice(0, EVIDENCE).map(({ trajectory, steps }) => ({
    trajectory,
    steps: steps
      .slice(0, EVIDENCE_STEPS)
      .map((step) => ({ step, action: actions.get(placeOf(trajectory, step)) ?? null })),
  }));
}

function placeOf(trajectory: string, step: number): string {
  return `${step} ${trajectory}`;
}
