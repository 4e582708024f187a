/**
 * New sessions of agents as they are written, and the skills that they show, as proposals. It writes to the
 * store and to the folder of proposals; no file that an agent reads, and nothing into the library, is changed.
 */
import { createHash } from "node:crypto";
import { errorData, isAbort } from "limbeck-base/base/errors";
import { isObject } from "limbeck-base/base/json";
import type { Skip } from "../../store/formats/source.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import { withStore } from "../../store/with-store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { givenRedactor } from "../importing/find-sources.ts";
import { SessionKeeper } from "../importing/session-keeper.ts";
import type { Redactor } from "limbeck-recorder/redact";
import type { FollowContext, FollowInput } from "../skills.inputs.ts";
import { foldersToFollow, mayFollow } from "./folders.ts";
import { proposalsOf, type Proposals } from "./proposals.ts";
import { SessionFiles, type SessionFile } from "./session-files.ts";
import { SessionWindow } from "./session-window.ts";

/** The run that new sessions go to, and whose state says how far each file was read. */
const RUN = "followed";
const SETTLE_MS = 10_000;
const EVERY_MS = 60_000;

/** How many files were read, what came of them, and the folder of the proposals; undefined where the person refused. */
export async function follow(given: FollowInput, context: FollowContext) {
  const redactor = givenRedactor(given);
  const folders = await foldersToFollow(given, context);
  if (!(await mayFollow(given, context, folders))) return undefined;
  return await withStore(context.store, async (store) => {
    // One follower at a time: the process that holds the run. Two would read the same sessions and store them twice.
    const writer = await openRun(store);
    const read = await readBefore(store);
    const window = new SessionWindow();
    await fill(window, store);
    const keeper = await SessionKeeper.follow(store, writer);
    const following: Following = { context, writer, keeper, window, redactor, read, totals: { files: 0, steps: 0 } };
    const proposals = proposalsOf(given, context);
    const { once, settle: settleMs = SETTLE_MS, every: everyMs = EVERY_MS } = given;
    const files = new SessionFiles(folders, {
      known: (path) => read.get(keyOf(path)),
      settleMs,
      everyMs,
      signal: context.signal,
      onProblem: (path, problem) => context.emit({ event: "problem", path, problem }),
    });
    if (!once) context.emit({ event: "following", folders: folders.map(({ folder }) => folder) });
    try {
      // What an earlier round has read and not yet learnt from counts too.
      await propose(following, proposals);
      for await (const batch of once ? files.now() : files.follow()) {
        if (await readBatch(following, batch)) await propose(following, proposals);
      }
    } catch (error) {
      if (!isAbort(error)) throw error;
    } finally {
      await keeper.close();
      await writer.close();
    }
    const end = { ...following.totals, proposed: proposals.count };
    context.emit({ event: "end", ...end, older: window.left });
    return { ...end, proposals: proposals.root };
  });
}

interface Following {
  readonly context: FollowContext;
  readonly writer: RunWriter;
  readonly keeper: SessionKeeper;
  readonly window: SessionWindow;
  readonly redactor: Redactor;
  /** The stamp of each file as it was read, by the hash of its path. */
  readonly read: Map<string, string>;
  readonly totals: { files: number; steps: number };
}

async function openRun(store: Store): Promise<RunWriter> {
  const [there] = await store.runs({ only: RUN });
  return there === undefined ? await store.createRun({ id: RUN, kind: "import" }) : await store.openRun(RUN);
}

async function readBefore(store: Store): Promise<Map<string, string>> {
  const state = (await store.stateOf(RUN))?.["followed"];
  const pairs = isObject(state) ? Object.entries(state) : [];
  return new Map(pairs.flatMap(([key, stamp]) => (typeof stamp === "string" ? [[key, stamp] as const] : [])));
}

/** Paths tell names of people and projects; to know them again a hash is enough. */
function keyOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

/** Sessions that were imported before are learnt from too. */
async function fill(window: SessionWindow, store: Store): Promise<void> {
  for (const { id, kind, problem } of await store.runs()) {
    if (kind !== "import" || problem !== undefined) continue;
    for await (const trajectory of store.trajectories({ run: id })) window.add(trajectory, id);
  }
}

/** Whether there was anything new in them. What was read is noted together with what is stored of it. */
async function readBatch(following: Following, batch: readonly SessionFile[]): Promise<boolean> {
  const { writer, keeper, read } = following;
  let fresh = false;
  try {
    for (const file of batch) {
      const steps = await readOne(following, file);
      read.set(keyOf(file.path), file.stamp);
      fresh ||= steps > 0;
    }
  } finally {
    writer.setState({ followed: Object.fromEntries(read) });
    await keeper.commit();
    await writer.commit();
  }
  return fresh;
}

/** How many steps are new. A file that cannot be read is reported and left until it changes. */
async function readOne(following: Following, file: SessionFile): Promise<number> {
  const { context, keeper, window, redactor, totals } = following;
  const { signal } = context;
  const { path, importer } = file;
  let [steps, sessions] = [0, 0];
  const skips: Skip[] = [];
  const options = {
    lenient: true,
    redactor,
    signal,
    onSkip: (skip: Skip) => void (skips.length < 1 && skips.push(skip)),
  };
  const store = async (trajectory: Trajectory): Promise<void> => {
    const kept = await keeper.keep(trajectory);
    if (kept === undefined) return;
    window.add(kept, keeper.runOf(trajectory.id) ?? RUN);
    steps += kept.steps.length;
    sessions += 1;
  };
  const trajectories = importer.read(path, options)[Symbol.asyncIterator]();
  for (;;) {
    // Only the reading may fail here: a store that takes nothing ends it all.
    const next = await trajectories.next().catch((error: unknown) => {
      if (isAbort(error)) throw error;
      context.emit({ event: "problem", path, problem: errorData(error).message });
    });
    if (next === undefined || next.done === true) break;
    await store(next.value);
  }
  const [skip] = skips;
  if (skip !== undefined) context.emit({ event: "problem", path, problem: skip.message });
  totals.files += 1;
  totals.steps += steps;
  if (steps > 0) context.emit({ event: "read", path, from: importer.id, sessions, steps });
  return steps;
}

async function propose({ context, window }: Following, proposals: Proposals): Promise<void> {
  for (const { diff, why, ...proposal } of await proposals.from(window))
    context.emit({ event: "proposal", ...proposal, ...(diff === undefined ? { why } : { diff }) });
}
