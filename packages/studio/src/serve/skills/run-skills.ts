/** Skills that the analyst of a run wrote, the same advice counted together. */
import { EngineError } from "limbeck-base/base/errors";
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import type { QueryOf } from "../api/endpoints.ts";
import type { SkillDetail, SkillItem } from "../api/skills.ts";
import { numberOr, textOr } from "../runs/cells.ts";
import { clip } from "../trajectories/long-text.ts";
import { readActions, skillDetails, withActions } from "../trajectories/step-skills.ts";

const EVIDENCE = 50;

const SORTS = { lift: "abs(shift) desc", shift: "abs(shift) desc", uses: "uses desc", name: "text" } as const;

const GROUPED = `select id, max(level) as level, max(text) as text, count(*) as uses,
    count(distinct trajectory) as evidence, avg(cast(data ->> 'shift' as double)) as shift, max(time) as time
  from skills group by id`;

export async function listRunSkills(
  store: Store,
  run: string,
  asked: Omit<QueryOf<"skills">, "status">,
): Promise<{ readonly total: number; readonly skills: SkillItem[] }> {
  const conditions = [
    ...(asked.level === undefined ? [] : [`level = ${quote(asked.level)}`]),
    ...(asked.search === undefined ? [] : [`contains(lower(text), ${quote(asked.search.toLowerCase())})`]),
  ];
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const { rows } = await store.query(
    `select *, count(*) over () from (${GROUPED}) ${where}
     order by ${SORTS[asked.sort]} nulls last, id limit ${asked.limit} offset ${asked.offset}`,
    { run },
  );
  return { total: Number(rows[0]?.[7] ?? 0), skills: rows.map(itemOf) };
}

function itemOf([id, level, text, uses, evidence, shift, time]: readonly unknown[]): SkillItem {
  return {
    id: String(id),
    name: clip(String(text), 80),
    level: String(level),
    text: String(text),
    when: null,
    status: "seen",
    evidence: Number(evidence),
    uses: Number(uses),
    lift: null,
    shift: numberOr(shift),
    updatedAt: textOr(time),
  };
}

export async function readRunSkill(store: Store, run: string, id: string): Promise<SkillDetail> {
  const found = await store.query(`select * from (${GROUPED}) where id = ${quote(id)}`, { run });
  const row = found.rows[0];
  if (row === undefined) throw new EngineError("no-skill", `Run "${run}" has no skill "${id}".`);
  const { rows } = await store.query(
    `select data, trajectory, time from skills where id = ${quote(id)} order by time limit ${EVIDENCE}`,
    { run },
  );
  const told = rows.flatMap(([data]) => skillDetails(data).evidence);
  const actions = await readActions(store, run, told);
  const history = rows.map(([data, trajectory, time]) => {
    const { update, shift } = skillDetails(data);
    const note = `update ${update ?? "?"}, from ${String(trajectory)}${shift === null ? "" : `, shift ${shift.toFixed(3)}`}`;
    return { time: String(time), who: "analyst", what: "written", from: null, to: null, note };
  });
  return {
    ...itemOf(row),
    evidenceAt: withActions(told, actions).map((one) => ({ run, ...one })),
    used: null,
    facts: {},
    history: history.reverse(),
  };
}
