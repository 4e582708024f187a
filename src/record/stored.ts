/** What a run holds of given trajectories, so that nothing is stored twice. */
import type { Store } from "../store/store.ts";

export interface Stored {
  /** Steps of the trajectory and of what continued it. */
  readonly steps: number;
  readonly calls: ReadonlySet<string>;
}

export async function storedRecordings(
  store: Store,
  run: string,
  ids: readonly string[],
): Promise<Map<string, Stored>> {
  if (ids.length === 0) return new Map();
  const list = ids.map((id) => `'${id.replaceAll("'", "''")}'`).join(", ");
  const { rows } = await store.query(
    `select coalesce(t.parent, t.id), s.info->'recorder'->>'call' from trajectories t
     left join steps s on s.trajectory = t.id and s.run = t.run
     where t.id in (${list}) or t.parent in (${list})`,
    { run },
  );
  const found = new Map<string, { steps: number; calls: Set<string> }>();
  for (const [id, call] of rows) {
    const stored = found.get(String(id)) ?? { steps: 0, calls: new Set<string>() };
    stored.steps += 1;
    if (typeof call === "string") stored.calls.add(call);
    found.set(String(id), stored);
  }
  return found;
}
