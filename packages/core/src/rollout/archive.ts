/** DART: successes are kept; a task that fails throughout gets one of its own back, and easy tasks are tried less. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { trajectoryFromJson, trajectoryToJson, type TrajectoryJson } from "limbeck-base/trajectory/schema";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { hasFailed, range } from "./ask.ts";
import { notedEpisodes } from "./effect.ts";
import { defineStrategy, remembering, type Scope } from "./strategy.ts";

/** What is known of a task: how often it was tried and solved, its latest success and the steps of its longest. */
interface Record {
  readonly tries: number;
  readonly wins: number;
  readonly longest: number;
  readonly successes: readonly TrajectoryJson[];
}

const NOTHING: Record = { tries: 0, wins: 0, longest: 0, successes: [] };

/** Rollouts for a task: fewer once it is known to be easy. */
export function rolloutsFor(
  record: Pick<Record, "tries" | "wins">,
  options: Omit<ArchiveOptions, "slack" | "successes">,
): number {
  const easy = record.tries > 0 && record.wins / record.tries >= options.easyRate;
  return easy ? Math.min(options.size, options.easySize) : options.size;
}

const options = {
  size: option.count(8, "episodes per task"),
  easyRate: option.share(0.6, "share of successes from which a task is easy"),
  easySize: option.count(4, "episodes of an easy task"),
  successes: option.count(1, "successes that are kept and given back", 0),
  slack: option.limit(null, "longest episode, in lengths of the longest success", { least: 1 }),
};

type ArchiveOptions = OptionValues<typeof options>;

export const archive = defineStrategy({
  info: {
    title: "Success archive (DART)",
    paper: "Efficient Multi-turn RL for GUI Agents via Decoupled Training and Adaptive Data Curation",
    confidence: "inferred",
    formula: [
      "rollouts of a task: size, or easySize once wins / tries >= easyRate",
      "a group without success gets up to `successes` kept successes of the task, the latest first, as further members",
      "with slack: an episode is cut, and scored, after slack * the longest success of the task",
    ],
    meaning:
      "Gives hard tasks their earlier successes back, so that a group without success still has something to learn from.",
    departures: [
      "Constants are ours. The choice of high-entropy steps and the truncated importance weights are left to credit and training.",
      "A kept success is stored again under the new group, with info.archive.from naming where it came from; its log-probabilities and versions are those of then.",
    ],
  },
  repeats: true,
  effect: {
    name: "archiveHits",
    counts: "earlier successes given back",
    remedy: "No task without success had one before: give more updates, or a smaller --set tasks.pool=N.",
    count: notedEpisodes("archive"),
  },
  options,
  create: (options) =>
    remembering<Readonly<{ [task: string]: Record }>>("records", {}, async (scope, before) => {
      const roll = (own: Scope, task: Task): Promise<Record> =>
        rollGroup(own, task, options, before[task.id] ?? NOTHING);
      const found = await scope.each(scope.tasks, roll, { walks: options.size });
      return { ...before, ...Object.fromEntries(found.map((record, at) => [(scope.tasks[at] as Task).id, record])) };
    }),
});

async function rollGroup(scope: Scope, task: Task, options: ArchiveOptions, record: Record): Promise<Record> {
  const longest = options.slack === null || record.longest === 0 ? Infinity : Math.ceil(options.slack * record.longest);
  const opened = await scope.each(range(rolloutsFor(record, options)), async (own, member) => {
    const walk = await own.open(task, member);
    await walk?.advance(({ depth }) => depth >= longest);
    await walk?.stop("length", { scored: true });
    return walk;
  });
  const walks = opened.filter((walk) => walk !== undefined);
  const won = walks.filter(({ success }) => success === true);
  const failed = walks.filter(hasFailed);
  if (won.length === 0 && failed.length > 0) giveBack(scope, task, record.successes.slice(0, options.successes));
  const latest = won.map((walk) => trajectoryToJson(walk.trajectory()));
  return {
    tries: record.tries + won.length + failed.length,
    wins: record.wins + won.length,
    longest: Math.max(record.longest, ...won.map(({ depth }) => depth)),
    successes: [...latest, ...record.successes].slice(0, options.successes),
  };
}

function giveBack(scope: Scope, task: Task, successes: readonly TrajectoryJson[]): void {
  const group = scope.prefix + task.id;
  for (const [at, json] of successes.entries()) {
    const { info, ...kept } = trajectoryFromJson(json, `archived success of task "${task.id}"`);
    scope.adopt({ ...kept, id: `${group}/archive-${at}`, group, info: { ...info, archive: { from: kept.id } } });
  }
}
