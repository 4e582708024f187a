/** What a run holds of given trajectories, so that nothing is stored twice and what goes on is put in its place. */
import { quote } from "../store/migrations.ts";
import type { Store } from "../store/store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

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

/** The trajectory that a piece continues; its own id where it continues none. */
export function rootId({ id, parent }: Pick<Trajectory, "id" | "parent">): string {
  return parent === undefined ? id : id.replace(/~\d+$/, "");
}

/** Whether a piece goes on where the other one ends, as `continuationId` names it. */
export function continues(before: Trajectory | undefined, piece: Trajectory): boolean {
  if (before === undefined || before.id === piece.id || before.id !== rootId(piece)) return false;
  return piece.parent?.step === (before.steps.at(-1)?.index ?? -1) + 1;
}

/** What was stored so far and the piece after it, as one; without streams, which recorded sessions do not have. */
export function joinPieces(before: Trajectory, piece: Trajectory): Trajectory {
  const { parent: _later, usage: _part, ...rest } = piece;
  return {
    ...rest,
    id: before.id,
    ...(before.parent === undefined ? {} : { parent: before.parent }),
    steps: [...before.steps, ...piece.steps],
    streams: [],
    rewards: [...before.rewards, ...piece.rewards],
    ...(before.timing === undefined ? {} : { timing: before.timing }),
  };
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
    { run, trusted: true },
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
