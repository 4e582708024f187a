/** GFCR: a rollout in four stages (generate, filter, control, replay), each chosen by itself, with draws and a log of its own. */
import { option } from "limbeck-base/base/option";
import { shuffle, type Rng } from "limbeck-base/base/rng";
import type { OptionValues } from "limbeck-base/base/option-table";
import { scoreValue } from "limbeck-base/trajectory/score";
import { trajectoryFromJson, trajectoryToJson, type TrajectoryJson } from "limbeck-base/trajectory/schema";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { range } from "./ask.ts";
import { notedEpisodes } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";

export const STAGES = ["generate", "filter", "control", "replay"] as const;
export type Stage = (typeof STAGES)[number];

/** What each stage decided in the last rollout, one line a task; of generate one a walk, of replay one a group. */
export type StageLogs = Readonly<Record<Stage, readonly JsonObject[]>>;

interface Memory {
  /** Groups that the filter let pass, the oldest first. */
  buffer: readonly { readonly task: string; readonly members: readonly TrajectoryJson[] }[];
  /** Rewards of each task when it was last rolled out. */
  tried: Readonly<Record<string, readonly number[]>>;
  logs: StageLogs;
}

const options = {
  generate: option.choice("group", ["group", "branch"], "independent episodes, or all others as branches of the first"),
  filter: option.choice("mixed", ["none", "mixed", "lot"], "which groups pass: all, of differing rewards, half by lot"),
  control: option.choice("fixed", ["fixed", "lot", "need"], "episodes a task: all, by lot, half where rewards agreed"),
  replay: option.choice("none", ["none", "newest", "lot"], "which earlier group that passed is given again"),
  size: option.count(8, "most episodes per task"),
  again: option.count(1, "earlier groups that are given again", 0),
  buffer: option.count(64, "groups that are kept", 0),
  streams: option.choice("own", ["own", "shared"], "own: a change of one stage leaves the draws of the others; shared: all draw from one, to compare"), // prettier-ignore
};

type Options = OptionValues<typeof options>;

export const staged = defineStrategy({
  info: {
    title: "Four stages (GFCR)",
    paper:
      "Generate, Filter, Control, Replay: A Comprehensive Survey of Rollout Strategies for LLM Reinforcement Learning, arXiv 2605.02913",
    confidence: "inferred",
    formula: [
      "replay chooses `again` groups of the buffer, control the episodes n_t of each task, generate walks them, filter says which groups pass",
      "each stage draws from split(seed, stage, task), so that its log depends on what it is handed and on nothing else",
      "groups that pass enter the buffer; those that do not are marked in info.stages",
    ],
    meaning: "A rollout whose four stages are chosen one by one; changing one leaves the others' logs as they were.",
    departures: [
      "A survey has no algorithm. Each stage has two or three of the ways that it lists, and the other strategies are not taken apart.",
      "A group that does not pass is stored and marked, not thrown away: where all rewards are equal it teaches nothing anyway.",
    ],
  },
  effect: {
    name: "filtered",
    counts: "episodes of groups that did not pass",
    remedy: "Every group had differing rewards, or strategy.filter is none.",
    count: notedEpisodes("stages", (note) => (note as JsonObject | undefined)?.["passed"] === false),
  },
  options,
  create: (given) => {
    const memory: Memory = { buffer: [], tried: {}, logs: noLogs() };
    return {
      run: (scope) => rollStages(scope, given, memory),
      save: () => ({ ...memory }),
      load: (state) => void Object.assign(memory, state as unknown as Memory),
    };
  },
});

const noLogs = (): Record<Stage, JsonObject[]> => ({ generate: [], filter: [], control: [], replay: [] });

async function rollStages(scope: Scope, given: Options, memory: Memory): Promise<void> {
  const { tasks } = scope;
  const logs = noLogs();
  const shared = scope.rng.split("stages");
  // Everything is drawn before anything is walked, so that no draw waits for an episode.
  const drawing = (stage: Stage, task = ""): Rng =>
    given.streams === "shared" ? shared : scope.rng.split(stage).split(task);
  const old = replayed(memory, tasks, given, drawing("replay"));
  logs.replay.push(...old.map(({ task }) => ({ task })));
  const plans = tasks.map((task) => {
    const size = sizeOf(memory.tried[task.id], given, drawing("control", task.id));
    logs.control.push({ task: task.id, size });
    const draws = drawing("generate", task.id);
    return { task, places: range(size).map((at) => (given.generate === "branch" && at > 0 ? draws.float() : null)) };
  });
  const lots = tasks.map(({ id }) => (given.filter === "lot" ? drawing("filter", id).float() < 0.5 : true));
  const groups = await scope.each(
    plans,
    async (own, { task, places }, at) => {
      const walks = await (given.generate === "group" ? apart(own, task, places.length) : branched(own, task, places));
      const rewards = walks.flatMap(({ reward }) => scoreValue(reward) ?? []);
      const passed = given.filter === "mixed" ? new Set(rewards).size > 1 : lots[at] === true;
      for (const walk of walks) walk.note({ stages: { passed } });
      return { task: task.id, walks, rewards, passed };
    },
    { walks: given.size },
  );
  for (const { members } of old)
    for (const one of members) scope.adopt(trajectoryFromJson(one, "a replayed group"), { stored: true });
  for (const { task, walks, rewards, passed } of groups) {
    logs.filter.push({ task, rewards, passed });
    for (const { id, parent, steps } of walks)
      logs.generate.push({ walk: id.slice(scope.prefix.length), from: parent?.step ?? null, actions: steps.map(({ action }) => action) }); // prettier-ignore
    memory.tried = { ...memory.tried, [task]: rewards };
    const members = walks.map((walk) => trajectoryToJson(walk.trajectory()));
    const others = memory.buffer.filter((one) => one.task !== task);
    memory.buffer = passed && members.length > 0 ? [...others, { task, members }] : others;
  }
  memory.buffer = given.buffer === 0 ? [] : memory.buffer.slice(-given.buffer);
  memory.logs = logs;
}

function replayed(
  { buffer }: Memory,
  tasks: readonly Task[],
  { replay, again }: Options,
  draws: Rng,
): Memory["buffer"] {
  const fresh = new Set(tasks.map(({ id }) => id));
  const usable = buffer.filter(({ task }) => !fresh.has(task)).toReversed();
  if (replay === "none") return [];
  return (replay === "lot" ? shuffle(usable, draws) : usable).slice(0, again);
}

function sizeOf(rewards: readonly number[] | undefined, { control, size }: Options, draws: Rng): number {
  const half = Math.ceil(size / 2);
  if (control === "lot") return half + draws.int(size - half + 1);
  return control === "need" && rewards !== undefined && new Set(rewards).size < 2 ? half : size;
}

async function apart(scope: Scope, task: Task, size: number): Promise<Walk[]> {
  const walks = await scope.each(range(size), async (own, member) => {
    const walk = await own.open(task, member);
    await walk?.advance();
    return walk;
  });
  return walks.filter((walk) => walk !== undefined);
}

/** The first to its end, and the others from a step of it. */
async function branched(scope: Scope, task: Task, places: readonly (number | null)[]): Promise<Walk[]> {
  const first = await scope.open(task, 0, { bookmarks: true });
  await first?.advance();
  if (first === undefined) return [];
  const walks = [first];
  for (const [at, place] of places.entries()) {
    if (place === null || first.steps.length === 0) continue;
    const branch = await first.branchAt({ step: Math.floor(place * first.steps.length) }, at);
    await branch?.advance();
    if (branch !== undefined) walks.push(branch);
  }
  return walks;
}
