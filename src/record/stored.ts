/** What a run holds of given trajectories, so that nothing is stored twice and what goes on is put in its place. */
import { quote } from "../store/migrations.ts";
import type { Store } from "../store/store.ts";

export interface Stored {
  /** Steps of the trajectory and of all that continued it. */
  readonly steps: number;
  readonly calls: ReadonlySet<string>;
  /** The piece that was stored last: the trajectory itself, or its latest continuation. */
  readonly last: string;
}

/** The name of a continuation: the trajectory's own, and the step it begins with. */
export function continuationId(id: string, step: number): string {
  return `${id}~${step}`;
}

export async function storedRecordings(
  store: Store,
  run: string,
  ids: readonly string[],
): Promise<Map<string, Stored>> {
  if (ids.length === 0) return new Map();
  const list = ids.map(quote).join(", ");
  const root = "case when t.parent is null then t.id else regexp_replace(t.id, '~[0-9]+$', '') end";
  const { rows } = await store.query(
    `select ${root}, t.id, s.step, s.info->'recorder'->>'call' from trajectories t
     left join steps s on s.trajectory = t.id and s.run = t.run
     where ${root} in (${list}) order by coalesce(t.parent_step, 0), s.step`,
    { run },
  );
  const found = new Map<string, { steps: number; calls: Set<string>; last: string }>();
  for (const [id, piece, step, call] of rows) {
    const stored = found.get(String(id)) ?? { steps: 0, calls: new Set<string>(), last: String(piece) };
    stored.last = String(piece);
    if (typeof step === "number") stored.steps = Math.max(stored.steps, step + 1);
    if (typeof call === "string") stored.calls.add(call);
    found.set(String(id), stored);
  }
  return found;
}
