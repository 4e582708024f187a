/** Skills that changed the teacher's mind most, with the steps they rest on. */
import { z } from "zod";
import type { Store } from "../store/store.ts";
import { clip, markup, type Html } from "./html.ts";
import { count, plural, withSign } from "./numbers.ts";

const SHOWN = 3;
/** Skills scored on fewer tokens say little. */
const ENOUGH_TOKENS = 4;
const SHOWN_STEPS = 5;

const details = z.object({
  update: z.number(),
  shift: z.number(),
  tokens: z.number(),
  evidence: z.array(z.object({ trajectory: z.string(), steps: z.array(z.number()) })).catch([]),
});

export interface ShownSkill extends z.infer<typeof details> {
  readonly level: string;
  readonly text: string;
  /** The episode it was written for, and the step where it was for one. */
  readonly trajectory: string;
  readonly step: number | undefined;
}

export interface Skills {
  readonly shown: readonly ShownSkill[];
  readonly written: number;
  readonly distinct: number;
  /** What was done at the steps that are evidence, by trajectory and step. */
  readonly actions: ReadonlyMap<string, string>;
}

/** The skills of a run with the largest shift of each level, each text once. */
export async function topSkills(store: Store, run: string): Promise<ShownSkill[]> {
  const { rows } = await store.query(
    `with told as (
       select level, text, data, trajectory, step, cast(data ->> 'shift' as double) as shift,
         cast(data ->> 'tokens' as integer) as tokens, cast(data ->> 'update' as integer) as update_number
       from skills
     ), ranked as (
       select *, row_number() over (partition by level, text order by abs(shift) desc, update_number, trajectory) as again
       from told where tokens >= ${ENOUGH_TOKENS} and isfinite(shift)
     ), first as (
       select *, row_number() over (partition by level order by abs(shift) desc, update_number, trajectory) as place
       from ranked where again = 1
     )
     select level, text, data, trajectory, step from first where place <= ${SHOWN} order by level, place`,
    { run, trusted: true },
  );
  return rows.flatMap(([level, text, data, trajectory, step]) => {
    const read = details.safeParse(JSON.parse(String(data)));
    if (!read.success) return [];
    const at = step === null || step === undefined ? undefined : Number(step);
    return [{ level: String(level), text: String(text), trajectory: String(trajectory), step: at, ...read.data }];
  });
}

export async function readSkills(store: Store, run: string): Promise<Skills> {
  const shown = await topSkills(store, run);
  const counts = await store.query("select count(*), count(distinct id) from skills", { run, trusted: true });
  const [written, distinct] = (counts.rows[0] ?? []).map(Number);
  return { shown, written: written ?? 0, distinct: distinct ?? 0, actions: await readActions(store, run, shown) };
}

async function readActions(store: Store, run: string, shown: readonly ShownSkill[]): Promise<Map<string, string>> {
  const wanted = new Set(
    shown.flatMap((skill) => [skill.trajectory, ...skill.evidence.map(({ trajectory }) => trajectory)]),
  );
  const actions = new Map<string, string>();
  if (wanted.size === 0) return actions;
  for await (const { id, steps } of store.trajectories({ run, ids: [...wanted] })) {
    for (const { index, action } of steps) actions.set(placeOf(id, index), action);
  }
  return actions;
}

/** The key of `actions`. */
export function placeOf(trajectory: string, step: number): string {
  return JSON.stringify([trajectory, step]);
}

const MEANING: Readonly<Record<string, string>> = {
  episode: "Advice for a whole episode",
  step: "Advice for one decision",
};

export function skillsSection({ shown, written, distinct, actions }: Skills): Html {
  if (shown.length === 0) {
    const why = written === 0 ? "No skills were written in this run." : "No skill was scored by a teacher in this run.";
    return markup`<p class="none">${why}</p>`;
  }
  const levels = [...new Set(shown.map(({ level }) => level))];
  return markup`<p class="lead">Written from the agent's own finished episodes: ${plural(written, "skill")}, ${count(distinct)} of them different. Here are those with which the teacher changed its mind most about the words the agent had chosen. A shift is the teacher's opinion in nats a token, not a measured gain.</p>
${levels.map((level) => markup`<h3>${MEANING[level] ?? level}</h3><div class="cards">${shown.filter((skill) => skill.level === level).map((skill) => skillCard(skill, actions))}</div>`)}`;
}

function skillCard(
  { text, shift, tokens, update, evidence, ...where }: ShownSkill,
  actions: ReadonlyMap<string, string>,
): Html {
  const seen = evidence.map(({ trajectory, steps }) => {
    const lines = steps.slice(0, SHOWN_STEPS).map((step) => {
      const action = actions.get(placeOf(trajectory, step));
      return markup`<li>step ${step}${action === undefined ? undefined : markup`: <q>${clip(action, 120)}</q>`}</li>`;
    });
    const more =
      steps.length > SHOWN_STEPS ? markup`<li>and ${plural(steps.length - SHOWN_STEPS, "step")} more</li>` : undefined;
    return markup`<p class="where">${clip(trajectory, 160)}</p><ul>${lines}${more}</ul>`;
  });
  const said = where.step === undefined ? undefined : actions.get(placeOf(where.trajectory, where.step));
  const chosen =
    said === undefined ? undefined : markup`<p class="where">The agent had said: <q>${clip(said, 120)}</q></p>`;
  const direction = shift < 0 ? "less likely" : "more likely";
  return markup`<article class="card"><p class="said">${clip(text, 600)}</p>${chosen}
<p class="shift ${shift < 0 ? "down" : "up"}"><b>${withSign(shift)}</b> nats a token: the agent's words became ${direction}</p>
<details><summary>Evidence, from update ${update}; scored on ${plural(tokens, "token")}</summary>${seen.length === 0 ? markup`<p class="none">None was recorded.</p>` : seen}</details></article>`;
}
