/** DART: the newest success of a task takes the place of the oldest failure where all fail; groups that all end alike teach nothing. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { trajectoryFromJson, trajectoryToJson, type TrajectoryJson } from "limbeck-base/trajectory/schema";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { hasFailed, range } from "./ask.ts";
import { notedEpisodes } from "./effect.ts";
import { defineStrategy, remembering, type Scope, type Walk } from "./strategy.ts";

/** What is known of a task: how often it was tried and solved, its newest success (if any) and the steps of its longest. */
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
  options: Pick<ArchiveOptions, "size" | "easyRate" | "easySize">,
): number {
  const easy = record.tries > 0 && record.wins / record.tries >= options.easyRate;
  return easy ? Math.min(options.size, options.easySize) : options.size;
}

/** What becomes of a group of scored episodes. */
export interface Curation {
  /** The failure, by index, that gives its place to the newest success of before. */
  readonly replaced?: number;
  /** Why nothing is learned from the group. */
  readonly dropped?: string;
}

/** By the successes of its members, from the oldest to the newest, and whether the task has succeeded before. */
export function curation(successes: readonly boolean[], known: boolean, dropAlike = true): Curation {
  if (successes.includes(true)) {
    return dropAlike && !successes.includes(false) ? { dropped: "all of its group succeeded" } : {};
  }
  if (known && successes.length > 0) return { replaced: 0 };
  return dropAlike && successes.length > 0 ? { dropped: "none of its task has succeeded yet" } : {};
}

const options = {
  size: option.count(8, "episodes per task"),
  dropAlike: option.flag(true, "leaves out groups of successes alone, and of failures alone where no success is known"),
  easyRate: option.share(0.6, "share of successes from which a task is easy"),
  easySize: option.count(4, "episodes of an easy task"),
  slack: option.limit(null, "longest episode, in lengths of the longest success", { least: 1 }),
};

type ArchiveOptions = OptionValues<typeof options>;

export const archive = defineStrategy({
  info: {
    title: "Success archive (DART)",
    paper: "Efficient Multi-turn RL for GUI Agents via Decoupled Training and Adaptive Data Curation",
    confidence: "code",
    source: "Computer-use-agents/dart-gui @ e0e606d3; verl/utils/dataset/trainable_filter.py: filter_fn",
    formula: [
      "a group of failures alone, the task was solved before: the newest success takes the place of the oldest member",
      "a group of failures alone of a task that this run has never solved, and a group of successes alone: left out",
      "rollouts of a task: size, or easySize once wins / tries >= easyRate",
      "with slack: an episode is cut, and scored, after slack * the longest success of the task",
    ],
    meaning:
      "Gives hard tasks their newest success back, so that a group without success still has something to learn from.",
    departures: [
      "What is left out, or gave its place, is stored as it was walked, with info.leftOut: it gets no credit. Recipes that need no credit learn from it all the same. In published code a group that is left out stays unused, and joins what is played later: 8 successes, and then a failure by this or the next version, are a group of 8 with that failure.",
      "The paper collects successes of challenging tasks before the training, and published code takes the newest success that the run's table holds, those written there beforehand too; here the archive begins empty, so that a task that this run has not solved yet is left out.",
      "Success is the world's. The published code takes a reward above 0, waits until a task has 8 unused rollouts of the last two versions, and cuts larger groups at random, keeping a success and a failure; a group here is of one version and one update, and of whatever size its scored episodes make.",
      "easyRate, easySize and slack are our form of an idea of the paper, whose own rate could not be read; the published code plays 8 of every task.",
      "The choice of high-entropy steps is the setting stepShare, off by default: it is commented out in the published code. Its loss (GSPO, clip 0.1 and 0.28, KL 0.1) and the truncated importance weights are left to the recipe.",
      "Newest and oldest go by the number of the episode in its group here (the newest success is that of the highest number), by the time of writing in published code.",
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
  // As they are before any of them is left out.
  const newest = won.slice(-1).map((walk) => trajectoryToJson(walk.trajectory()));
  curate(scope, task, options, walks, record.successes[0]);
  return {
    tries: record.tries + won.length + failed.length,
    wins: record.wins + won.length,
    longest: Math.max(record.longest, ...won.map(({ depth }) => depth)),
    successes: newest.length === 0 ? record.successes : newest,
  };
}

function curate(
  scope: Scope,
  task: Task,
  { dropAlike }: ArchiveOptions,
  walks: readonly Walk[],
  known: TrajectoryJson | undefined,
): void {
  const members = walks.filter((walk) => walk.success === true || hasFailed(walk));
  const successes = members.map(({ success }) => success === true);
  const { replaced, dropped } = curation(successes, known !== undefined, dropAlike);
  if (dropped !== undefined) for (const walk of members) walk.note({ leftOut: dropped });
  if (replaced === undefined || known === undefined) return;
  members[replaced]?.note({ leftOut: "an earlier success of the task took its place" });
  giveBack(scope, task, known);
}

function giveBack(scope: Scope, task: Task, json: TrajectoryJson): void {
  const group = scope.prefix + task.id;
  const { info, ...kept } = trajectoryFromJson(json, `archived success of task "${task.id}"`);
  scope.adopt({ ...kept, id: `${group}/archive-0`, group, info: { ...info, archive: { from: kept.id } } });
}
