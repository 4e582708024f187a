/** One trajectory by its id or the beginning of it, and the branches that left it. */
import { EngineError } from "limbeck-base/base/errors";
import { nearestName } from "limbeck-base/base/registry";
import { quote } from "./migrations.ts";
import type { QueryOptions, Store } from "./store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export interface Branch {
  readonly id: string;
  readonly step: number;
  readonly token: number | null;
  readonly steps: number;
  readonly reward: number | null;
  readonly success: boolean | null;
}

export interface FoundTrajectory {
  readonly run: string;
  readonly trajectory: Trajectory;
  readonly branches: readonly Branch[];
}

/** Enough candidates for a list and for a guess; a store may hold millions. */
const MOST_CANDIDATES = 2000;

export async function findTrajectory(store: Store, id: string, options: QueryOptions): Promise<FoundTrajectory> {
  const place = await locate(store, id, options);
  for await (const trajectory of store.trajectories({ run: place.run, ids: [place.id] })) {
    return { run: place.run, trajectory, branches: await branchesOf(store, place, options) };
  }
  throw new EngineError("trajectory-missing", `Trajectory "${place.id}" of run "${place.run}" vanished meanwhile.`);
}

interface TrajectoryKey {
  readonly run: string;
  readonly id: string;
}

async function locate(store: Store, id: string, options: QueryOptions): Promise<TrajectoryKey> {
  const beginning = quote(id);
  const found = await store.query(
    `select run, id from trajectories where starts_with(id, ${beginning}) order by id = ${beginning} desc, id, run limit 50`,
    { ...options, trusted: true },
  );
  const places = found.rows.map(([run, full]): TrajectoryKey => ({ run: String(run), id: String(full) }));
  const exact = places.filter((place) => place.id === id);
  const candidates = exact.length > 0 ? exact : places;
  const [first] = candidates;
  if (first === undefined) throw await missing(store, id, options);
  if (candidates.length === 1) return first;
  const sameId = candidates.every((place) => place.id === first.id);
  const list = candidates.slice(0, 6).map((place) => (sameId ? place.run : place.id));
  throw new EngineError(
    "ambiguous-id",
    sameId
      ? `Trajectory "${first.id}" is in ${candidates.length} runs: ${list.join(", ")}. Choose one with --run ID.`
      : `"${id}" begins ${candidates.length === 50 ? "at least 50" : candidates.length} ids: ${list.join(", ")}${candidates.length > 6 ? ", …" : ""}. Give more of the id.`,
    { details: { candidates } },
  );
}

async function missing(store: Store, id: string, options: QueryOptions): Promise<EngineError> {
  const { rows } = await store.query(`select distinct id from trajectories limit ${MOST_CANDIDATES}`, {
    ...options,
    trusted: true,
  });
  const near = nearestName(
    id,
    rows.map(([known]) => String(known)),
  );
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  const way =
    rows.length === 0
      ? "There are none yet; limbeck import FILE brings some."
      : 'limbeck sql "select run, id from trajectories" lists them.';
  return new EngineError("trajectory-missing", `No trajectory "${id}".${hint} ${way}`, { details: { id } });
}

async function branchesOf(store: Store, place: TrajectoryKey, options: QueryOptions): Promise<Branch[]> {
  const { rows } = await store.query(
    `select id, parent_step, parent_token, step_count, reward, success from trajectories where parent = ${quote(place.id)} order by parent_step, id`,
    { ...options, run: place.run, trusted: true },
  );
  return rows.map(([id, step, token, steps, reward, success]) => ({
    id: String(id),
    step: Number(step),
    token: token === null || token === undefined ? null : Number(token),
    steps: Number(steps),
    reward: typeof reward === "number" ? reward : null,
    success: typeof success === "boolean" ? success : null,
  }));
}
