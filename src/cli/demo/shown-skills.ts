/** The skills that changed the teacher's mind most. A shift is an opinion; whether a skill helps is for a measured lift to say. */
import type { Store } from "../../store/store.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";

const SHOWN = 3;
/** Skills scored on fewer tokens say little. */
const ENOUGH_TOKENS = 4;

export interface ShownSkill {
  readonly level: string;
  readonly text: string;
  readonly shift: number;
  readonly trajectory: string;
  readonly step: number | null;
  readonly update: number;
}

export async function skillsOfRun(store: Store, run: string): Promise<ShownSkill[]> {
  const { rows } = await store.query(
    `with told as (
       select level, text, trajectory, step, cast(data ->> 'shift' as double) as shift,
         cast(data ->> 'tokens' as integer) as tokens, cast(data ->> 'update' as integer) as update_number
       from skills
     ), ranked as (
       select *, row_number() over (partition by level, text order by abs(shift) desc, update_number) as again
       from told where tokens >= ${ENOUGH_TOKENS} and isfinite(shift)
     ), first as (
       select *, row_number() over (partition by level order by abs(shift) desc, update_number, trajectory) as place
       from ranked where again = 1
     )
     select level, text, shift, trajectory, step, update_number from first where place <= ${SHOWN}
     order by level, place`,
    { run },
  );
  return rows.map(([level, text, shift, trajectory, step, update]) => ({
    level: String(level),
    text: String(text),
    shift: Number(shift),
    trajectory: String(trajectory),
    step: step === null || step === undefined ? null : Number(step),
    update: Number(update),
  }));
}

export function printSkills(invocation: Invocation, skills: readonly ShownSkill[]): void {
  const { style, print } = invocation;
  if (skills.length === 0) return;
  print();
  print(style.bold("Skills that shifted the teacher's opinion most"));
  for (const { level, text, shift, trajectory, step } of skills) {
    const where = step === null ? trajectory : `${trajectory}, step ${step}`;
    print(
      `  ${level.padEnd(7)} ${shift >= 0 ? "+" : ""}${shift.toFixed(2)} nats a token  ${style.dim(`seen in ${cleanLine(where)}`)}`,
    );
    print(`          ${cleanLine(text)}`);
  }
  print(style.dim("  A shift is the teacher's opinion of the words the agent chose, not a measured gain."));
}
