/**
 * Sessions that a store has already: one that has not changed is left out, one that went on since is continued in the run
 * that holds it, so that no step is stored or counted twice.
 */
import { usageOf } from "../../store/formats/recorded-trajectory.ts";
import { continuationId } from "../stored.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

interface Kept {
  readonly run: string;
  /** The number after its last step. */
  end: number;
  /** The piece that was stored last. */
  last: string;
}

export class SessionKeeper {
  readonly #store: Store;
  readonly #writer: RunWriter;
  readonly #kept: Map<string, Kept>;
  readonly #others = new Map<string, RunWriter>();
  readonly #remembers: boolean;

  private constructor(store: Store, writer: RunWriter, kept: Map<string, Kept>, remembers: boolean) {
    this.#store = store;
    this.#writer = writer;
    this.#kept = kept;
    this.#remembers = remembers;
  }

  /** `again`: whatever the store has, everything is stored anew. */
  static async open(store: Store, writer: RunWriter, again: boolean): Promise<SessionKeeper> {
    return new SessionKeeper(store, writer, again ? new Map() : await storedSessions(store), false);
  }

  /** For who reads the same files again and again: what it has stored itself may go on too. */
  static async follow(store: Store, writer: RunWriter): Promise<SessionKeeper> {
    return new SessionKeeper(store, writer, await storedSessions(store), true);
  }

  /** The run that holds a session; undefined before it was kept. */
  runOf(id: string): string | undefined {
    return this.#kept.get(id)?.run;
  }

  /** What was stored of it: all, nothing, or what is new. */
  async keep(trajectory: Trajectory): Promise<Trajectory | undefined> {
    const first = trajectory.parent?.step ?? 0;
    const end = first + trajectory.steps.length;
    const known = this.#kept.get(trajectory.id);
    if (known === undefined) {
      await this.#writer.append(trajectory);
      if (this.#remembers) this.#kept.set(trajectory.id, { run: this.#writer.run, end, last: trajectory.id });
      return trajectory;
    }
    if (end <= known.end) return undefined;
    const writer = await this.#writerOf(known.run);
    // Once more, now that the run is held: another import may have continued it since.
    const before = this.#kept.get(trajectory.id) ?? known;
    if (end <= before.end) return undefined;
    const steps = trajectory.steps.slice(before.end - first);
    const { usage: _whole, ...rest } = trajectory;
    const more: Trajectory = {
      ...rest,
      id: continuationId(trajectory.id, before.end),
      parent: { trajectory: before.last, step: before.end },
      steps,
      ...usageOf(steps),
      rewards: trajectory.rewards.filter(({ step }) => step === undefined || step >= before.end),
    };
    await writer.append(more);
    before.end = end;
    before.last = more.id;
    return more;
  }

  /** What was continued in other runs is on disk. */
  async commit(): Promise<void> {
    for (const writer of this.#others.values()) await writer.commit();
  }

  async close(): Promise<void> {
    for (const writer of this.#others.values()) await writer.close();
  }

  async #writerOf(run: string): Promise<RunWriter> {
    if (this.#remembers && run === this.#writer.run) return this.#writer;
    const known = this.#others.get(run);
    if (known !== undefined) return known;
    const writer = await this.#store.openRun(run);
    this.#others.set(run, writer);
    for (const [id, kept] of await storedSessions(this.#store)) if (kept.run === run) this.#kept.set(id, kept);
    return writer;
  }
}

/** Every imported session by its id, with what continued it. */
async function storedSessions(store: Store): Promise<Map<string, Kept>> {
  const found = new Map<string, Kept>();
  const runs = await store.runs({ remembered: true });
  if (!runs.some(({ kind, trajectories }) => kind === "import" && trajectories > 0)) return found;
  const { rows } = await store.query(
    `select t.run, t.id, coalesce(t.parent_step, 0) + t.step_count, t.parent
     from trajectories t join runs r on r.id = t.run
     where r.kind = 'import' and (t.info -> 'session') is not null order by coalesce(t.parent_step, 0), t.run`,
    { skipBroken: true, trusted: true },
  );
  for (const [run, id, end, parent] of rows) {
    if (typeof run !== "string" || typeof id !== "string" || typeof end !== "number") continue;
    const root = typeof parent === "string" ? id.replace(/~\d+$/, "") : id;
    const before = found.get(root);
    if (before === undefined) found.set(root, { run, end, last: id });
    else if (before.run === run && end > before.end) {
      before.end = end;
      before.last = id;
    }
  }
  return found;
}
