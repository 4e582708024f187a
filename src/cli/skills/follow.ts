/**
 * `limbeck skills follow`: new sessions of agents as they are written, and the skills that they show, as proposals. It writes to the
 * store and to the folder of proposals; no file that an agent reads, and nothing into the library, is changed.
 */
import { createHash } from "node:crypto";
import { relative } from "node:path";
import { errorData, isAbort, isObject } from "../../base/index.ts";
import { SessionFiles, type FollowedFolder, type SessionFile } from "../../record/following/session-files.ts";
import { SessionWindow } from "../../record/following/session-window.ts";
import { givenRedactor } from "../../record/importing/find-sources.ts";
import { SessionKeeper } from "../../record/importing/session-keeper.ts";
import type { Redactor } from "../../record/recorder/redact.ts";
import type { Skip } from "../../store/formats/source.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { givenTime } from "../listening.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { withStore } from "../with-store.ts";
import { foldersToFollow, mayFollow } from "./follow-folders.ts";
import { proposalsOf, type Proposals } from "./proposals.ts";

/** The run that new sessions go to, and whose state says how far each file was read. */
const RUN = "followed";
const SETTLE_MS = 10_000;
const EVERY_MS = 60_000;

export async function runFollow(invocation: Invocation): Promise<number> {
  const redactor = givenRedactor({ redact: invocation.texts("redact"), keepEmails: invocation.flag("keep-emails") });
  const times = {
    settleMs: givenTime(invocation, "settle") ?? SETTLE_MS,
    everyMs: givenTime(invocation, "every") ?? EVERY_MS,
  };
  const folders = await foldersToFollow(invocation);
  if (!(await mayFollow(invocation, folders))) {
    invocation.print("Nothing was read.");
    return EXIT.done;
  }
  return await withStore(invocation.storeRoot, (store) => follow(invocation, store, folders, { redactor, ...times }));
}

async function follow(
  invocation: Invocation,
  store: Store,
  folders: readonly FollowedFolder[],
  { redactor, ...times }: { readonly redactor: Redactor; readonly settleMs: number; readonly everyMs: number },
): Promise<number> {
  const { io } = invocation;
  // One follower at a time: whoever holds the run. Two would read the same sessions and store them twice.
  const writer = await openRun(store);
  const read = await readBefore(store);
  const window = new SessionWindow();
  await fill(window, store);
  const keeper = await SessionKeeper.follow(store, writer);
  const following: Following = { invocation, writer, keeper, window, redactor, read, totals: { files: 0, steps: 0 } };
  const proposals = proposalsOf(invocation);
  const files = new SessionFiles(folders, {
    known: (path) => read.get(keyOf(path)),
    ...times,
    signal: io.signal,
    onProblem: (path, problem) => sayProblem(invocation, path, problem),
  });
  const once = invocation.flag("once");
  if (!once) {
    invocation.print(`Following ${plural(folders.length, "folder")}; Ctrl-C ends it. Nothing is installed.`);
    if (invocation.json) invocation.printJson({ event: "following", folders: folders.map(({ folder }) => folder) });
  }
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
  const { totals } = following;
  const end = { ...totals, proposed: proposals.count, older: window.left };
  if (invocation.json) invocation.printJson({ event: "end", ...end });
  else
    invocation.print(
      `${plural(totals.files, "file")} read, ${plural(totals.steps, "new step")}; ${plural(proposals.count, "proposal")} in ${cleanLine(relative(io.cwd, proposals.root) || ".")}.`,
    );
  return EXIT.done;
}

interface Following {
  readonly invocation: Invocation;
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

/** How many steps are new. A file that cannot be read is said and left until it changes. */
async function readOne(following: Following, file: SessionFile): Promise<number> {
  const { invocation, keeper, window, redactor, totals } = following;
  const { signal } = invocation.io;
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
  const trajectories = file.importer.read(file.path, options)[Symbol.asyncIterator]();
  for (;;) {
    // Only the reading may fail here: a store that takes nothing ends it all.
    const next = await trajectories.next().catch((error: unknown) => {
      if (isAbort(error)) throw error;
      sayProblem(invocation, file.path, errorData(error).message);
    });
    if (next === undefined || next.done === true) break;
    await store(next.value);
  }
  const [skip] = skips;
  if (skip !== undefined) sayProblem(invocation, file.path, skip.message);
  totals.files += 1;
  totals.steps += steps;
  if (steps > 0) sayRead(invocation, file, sessions, steps);
  return steps;
}

function sayRead(invocation: Invocation, { path, importer }: SessionFile, sessions: number, steps: number): void {
  if (invocation.json) invocation.printJson({ event: "read", path, from: importer.id, sessions, steps });
  else
    invocation.print(
      `read      ${cleanLine(path)}: ${plural(steps, "new step")}${sessions > 1 ? ` of ${sessions} sessions` : ""}`,
    );
}

function sayProblem(invocation: Invocation, path: string, problem: string): void {
  if (invocation.json) invocation.printJson({ event: "problem", path, problem });
  else invocation.note(`! ${cleanLine(path)}: ${cleanLine(problem)}`);
}

async function propose({ invocation, window }: Following, proposals: Proposals): Promise<void> {
  for (const { name, text, outcome, evidence, diff, why } of await proposals.from(window)) {
    if (invocation.json) {
      invocation.printJson({
        event: "proposal",
        name,
        text,
        outcome,
        evidence,
        ...(diff === undefined ? { why } : { diff }),
      });
      continue;
    }
    const sessions = plural(evidence.length, "session");
    if (outcome === "merged") invocation.print(`evidence  ${name}: ${sessions} now`);
    else
      invocation.print(
        `proposes  ${name} (${sessions}): ${cleanLine(text.replaceAll("\n", " ")).slice(0, 160)}  To take it: limbeck skills accept ${name}`,
      );
  }
}
