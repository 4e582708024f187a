/** Kills trainings with a scripted policy again and again, resumes them, and counts what the kills met. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Rng } from "../../packages/base/src/base/rng.ts";
import { startChild, type Child } from "./kill-children.ts";
import type { Sizes } from "./scripted-updates.ts";

export interface UpdateKills {
  /** The bundled `kill-update.ts`. */
  readonly program: string;
  readonly root: string;
  /** Of the checkpoint. */
  readonly dir: string;
  readonly sizes: Sizes;
  readonly bufferSteps: number;
  readonly rng: Rng;
}

export interface KillCounts {
  kills: number;
  /** Between the first and the last byte of an update: bytes of it were on disk, and it was not stored. */
  inside: number;
  /** While the run was being opened. */
  opening: number;
  /** Whole updates in the end. */
  updates: number;
  faults: string[];
}

export const noKills = (): KillCounts => ({ kills: 0, inside: 0, opening: 0, updates: 0, faults: [] });

function start({ program, root, dir, sizes, bufferSteps }: UpdateKills, updates: number): Child {
  return startChild(program, [root, dir, ...[sizes.least, sizes.most, bufferSteps, updates].map(String)]);
}

/**
 * So many lives that end by a kill, and one that looks at what is left and does one update more. One kill in ten may come at any time
 * since the start of the process; the others within about two updates, whose length was seen in the lives before.
 */
export async function killUpdates(plan: UpdateKills, kills: number): Promise<KillCounts> {
  await mkdir(plan.dir, { recursive: true });
  const { rng } = plan;
  const counts = noKills();
  let half: number | undefined;
  const seen = { openMs: 0, updateMs: 0 };
  for (let life = 0; life < kills; life += 1) {
    const child = start(plan, -1);
    const began = performance.now();
    const kill = async (delayMs: number): Promise<void> => {
      await setTimeout(delayMs);
      child.process.kill("SIGKILL");
    };
    const [isAnywhere, share] = [life > 0 && rng.int(10) === 0, rng.float()];
    if (isAnywhere) void kill(share * (seen.openMs + seen.updateMs));
    let first = 0;
    child.lines.on("line", (line) => {
      const [word] = line.split(" ");
      const now = performance.now();
      if (word === "ready") seen.openMs = now - began;
      if (word === "ready" && life > 0 && !isAnywhere) void kill(share * 2 * seen.updateMs);
      if (word === "began") first = now;
      if (word !== "saved") return;
      seen.updateMs = seen.updateMs === 0 ? now - first : 0.8 * seen.updateMs + 0.2 * (now - first);
      // Nothing was seen before the first life.
      if (life === 0) void kill(share * seen.updateMs);
    });
    const signal = await child.ended;
    countLife(child, counts, half);
    half = halfDone(child);
    counts.kills += 1;
    if (!child.said.includes("ready")) counts.opening += 1;
    if (signal !== "SIGKILL")
      counts.faults.push(`fault: a life ended by itself: ${child.errors.join("").slice(0, 2000)}`);
    if (counts.faults.length > 0) return counts;
  }
  const last = start(plan, 1);
  last.process.stdin?.end();
  await last.ended;
  countLife(last, counts, half);
  if (!last.said.includes("done"))
    counts.faults.push(`fault: the last life failed: ${last.errors.join("").slice(0, 2000)}`);
  counts.updates = updatesIn(last);
  return counts;
}

/** The update of which bytes were on disk when the life ended, and no word that it was stored. */
function halfDone({ said }: Child): number | undefined {
  const [word, update] = said.at(-1)?.split(" ") ?? [];
  return word === "first" ? Number(update) : undefined;
}

/** What the next life finds decides whether the kill before fell into an update: the word of a commit may be lost. */
function countLife({ said }: Child, counts: KillCounts, half: number | undefined): void {
  counts.faults.push(...said.filter((line) => line.startsWith("fault")));
  const there = said.find((line) => line.startsWith("there "))?.split(" ")[1];
  if (half !== undefined && there !== undefined && Number(there) < half) counts.inside += 1;
}

function updatesIn({ said }: Child): number {
  return Number(said.findLast((line) => line.startsWith("saved "))?.split(" ")[1] ?? 0);
}

/** Two processes take up one run at once: one goes on, the other is refused by its name. True when that is so. */
export async function resumeTogether(plan: UpdateKills): Promise<string[]> {
  const pair = [start(plan, 2), start(plan, 2)];
  const ends = await Promise.race(pair.map(async (child, at) => ({ at, signal: await child.ended })));
  const [refused, other] = [pair[ends.at] as Child, pair[1 - ends.at] as Child];
  while (!other.said.includes("done") && other.process.exitCode === null) await setTimeout(5);
  other.process.stdin?.end();
  await other.ended;
  const faults = pair.flatMap(({ said }) => said.filter((line) => line.startsWith("fault")));
  const word = refused.said.find((line) => line.startsWith("refused ")) ?? "";
  const named = word.includes(`process ${other.process.pid} on `) && word.includes('Run "killed"');
  if (refused.process.exitCode !== 3 || !named)
    faults.push(`fault: not refused by name: ${word} ${refused.errors.join("")}`);
  if (other.process.exitCode !== 0) faults.push(`fault: nobody went on: ${other.said.at(-1)} ${other.errors.join("")}`);
  return faults;
}

export async function removePlan({ dir }: Pick<UpdateKills, "dir">): Promise<void> {
  await rm(join(dir), { recursive: true, force: true });
}
