/** APRIL: more groups begin than are needed; once enough are complete, the others are kept and go on next time, before new tasks. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { sum } from "limbeck-base/base/statistics/summary";
import type { OptionValues } from "limbeck-base/base/option-table";
import { scoreValue } from "limbeck-base/trajectory/score";
import { trajectoryFromJson } from "limbeck-base/trajectory/schema";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { range } from "./ask.ts";
import { defineStrategy, type Scope } from "./strategy.ts";
import type { Suspended, Walk } from "../walk/line/strategy.ts";

/** A group that was not complete: its members, open or over, and the rollout in which it began. */
interface KeptGroup {
  readonly task: Task;
  readonly begun: number;
  readonly members: readonly Suspended[];
}

/** One member in flight: a walk, an episode that was over earlier, or one that could not go on yet. */
type Member =
  | { readonly walk: Walk }
  | { readonly over: Trajectory; readonly kept: Suspended }
  | { readonly kept: Suspended };

/** Members at the places that their labels say, as far as they were begun: a rollout may be given up at any moment. */
interface Flight {
  readonly task: Task;
  readonly begun: number;
  readonly members: (Member | undefined)[];
}

interface Memory {
  rollouts: number;
  kept: KeptGroup[];
}

const options = {
  size: option.count(8, "episodes per task"),
  target: option.share(0.5, "share of the groups in flight that a rollout waits for"),
  cut: option.choice(
    "token",
    ["token", "step"],
    "where an episode may be interrupted: inside an answer, or only between steps",
  ),
  tick: option.count(64, "tokens of an episode per round"),
  onlyMixed: option.flag(false, "only groups whose rewards differ count towards the target (dynamic sampling)"),
};

type PartialOptions = OptionValues<typeof options>;

export const partial = defineStrategy({
  info: {
    title: "Partial rollouts (APRIL)",
    paper: "APRIL: Active Partial Rollouts in Reinforcement Learning to Tame Long-tail Generation",
    confidence: "code",
    source: "RLsys-Foundation/APRIL @ a72b5853; slime/rollout/sglang_example.py: generate_rollout_async, abort",
    formula: [
      "in flight: as many groups as there are tasks; kept groups first, then new ones",
      "stop when ceil(target * tasks) groups are complete: every member is over",
      "the others are kept with their tokens, log-probabilities and versions; they go on first in the next rollout, each within what is left of its answer's and its episode's token limits",
    ],
    meaning: "Begins more groups than are needed and lets the slow ones go on in the next rollout instead of waiting.",
    departures: [
      "Published scripts begin 64 groups and wait for 32; here `tasks` counts those that are begun, so that 32 need tasks=64.",
      "Who is first is decided by a clock of tokens: in every round each open episode says `tick` tokens. So one seed gives one forest; time spent in the world does not count.",
      "Groups that were complete in the same round are all given; the published code drops those beyond the target, and keeps for the next rollout those that end while it aborts.",
      "Tasks that find no place in flight are not begun; give them again. With onlyMixed (off by default; published DAPO scripts filter so), groups whose rewards are all equal are given too, and none is begun in their place; published code drops them and begins others, 64 at a time. A task whose group is kept is not begun again; its kept group goes on.",
      "Published code goes on from the text, which it tokenises anew, and its trainer computes the old log-probabilities of all tokens by the present policy; here a token keeps what it was drawn with.",
      "Kept groups are saved with a run and go on when it is taken up again; published checkpoints lack them.",
      "An answer cannot be cut where the dialect ends it by more than one token: choose cut: step.",
    ],
  },
  effect: {
    name: "parkedGroups",
    counts: "groups kept for the next rollout",
    remedy:
      "No group was slow: all were over within one round of strategy.tick tokens, or strategy.target waits for all.",
    count: (_, { kept }) => kept?.groups ?? 0,
  },
  options,
  create: (options) => {
    const memory: Memory = { rollouts: 0, kept: [] };
    return {
      run: (scope) => rollPartly(scope, options, memory),
      save: () => ({ ...memory }) as unknown as JsonObject,
      load: (state) => {
        const { rollouts, kept } = state as unknown as Memory;
        Object.assign(memory, { rollouts, kept: [...kept] });
      },
      kept: () => ({
        groups: memory.kept.length,
        tokens: sum(memory.kept.flatMap(({ members }) => members.map(tokensOf))),
      }),
    };
  },
});

async function rollPartly(scope: Scope, options: PartialOptions, memory: Memory): Promise<void> {
  if (scope.agent.resume === undefined) {
    throw new EngineError(
      "cannot-resume",
      `The agent of policy "${scope.agent.ref.name}" cannot go on with an episode, which partial needs; use group.`,
    );
  }
  memory.rollouts += 1;
  const { tasks } = scope;
  const begun = memory.rollouts;
  const old = memory.kept.slice(0, tasks.length);
  const waiting = new Set(memory.kept.map(({ task }) => task.id));
  const fresh = tasks.filter(({ id }) => !waiting.has(id)).slice(0, tasks.length - old.length);
  const flights = [...old, ...fresh.map((task) => ({ task, begun, members: [] }))].map(flightOf);
  const target = Math.max(1, Math.ceil(options.target * tasks.length));
  const counts = (flight: Flight): boolean => isComplete(flight) && (!options.onlyMixed || isMixed(flight));
  try {
    await scope.each(flights, (own, flight) => takeOff(own, flight, options.size, begun), { walks: options.size });
    for (;;) {
      const open = flights.flatMap((flight) => membersOf(flight).flatMap(openWalk));
      if (open.length === 0 || flights.filter(counts).length >= target) break;
      await scope.together(open, (walk) => tick(walk, scope.agent.exact && options.cut === "token", options.tick));
    }
  } finally {
    // Also where the rollout was given up: what was sampled goes on next time.
    const rest = memory.kept.slice(old.length);
    const still: KeptGroup[] = [];
    for (const flight of flights) {
      if (!isComplete(flight)) still.push(await land(flight));
      else for (const member of membersOf(flight)) if ("over" in member) scope.adopt(member.over);
    }
    memory.kept = [...still, ...rest];
  }
}

function flightOf({ task, begun, members }: KeptGroup): Flight {
  const places: Flight["members"] = [];
  for (const kept of members) {
    const { label, over, trajectory } = kept;
    const member = over ? { over: trajectoryFromJson(trajectory, `kept episode "${label}"`), kept } : { kept };
    places[Number(label)] = member;
  }
  return { task, begun, members: places };
}

function membersOf({ members }: Flight): Member[] {
  return members.filter((member) => member !== undefined);
}

/** Opens the members of a new group, or goes on with those of a kept one; what it lacks of them is opened too. */
async function takeOff(scope: Scope, flight: Flight, size: number, rollout: number): Promise<void> {
  const { task, begun, members } = flight;
  const [first] = membersOf(flight);
  const group = first === undefined ? scope.prefix + task.id : groupOf(first);
  await scope.each(range(size), async (own, place) => {
    const member = members[place];
    if (member !== undefined && !isWaiting(member)) return;
    const walk = await (member === undefined
      ? own.open(task, place, { group, info: { partial: { begun } } })
      : own.resume(member.kept));
    if (walk === undefined) return;
    if (member !== undefined) walk.note({ partial: { begun, resumed: rollout } });
    members[place] = { walk };
  });
  if (membersOf(flight).some(isWaiting)) await keepBack(members);
}

/** Who is over while another still waits goes on with it next time; what lies ready when its item is done would be stored. */
async function keepBack(members: Flight["members"]): Promise<void> {
  for (const [place, member] of members.entries()) {
    if (member === undefined || !("walk" in member) || member.walk.ending === undefined) continue;
    members[place] = { kept: await member.walk.suspend(), over: member.walk.trajectory() };
  }
}

function isWaiting(member: Member): member is { readonly kept: Suspended } {
  return "kept" in member && !member.kept.over;
}

function groupOf(member: Member): string {
  return "walk" in member ? member.walk.group : member.kept.trajectory.group;
}

/** One round of the clock. */
async function tick(walk: Walk, inAnswers: boolean, tokens: number): Promise<void> {
  if (!inAnswers) return void (await walk.step());
  let left = tokens;
  while (walk.ending === undefined && left > 0) {
    const before = walk.said;
    const ended = await walk.speak(left);
    left -= Math.max(1, walk.said - before);
    if (ended) await walk.step();
  }
}

/** Everything a group had in flight, as it will go on. */
async function land(flight: Flight): Promise<KeptGroup> {
  const { task, begun } = flight;
  const kept: Suspended[] = [];
  for (const member of membersOf(flight)) kept.push("walk" in member ? await member.walk.suspend() : member.kept);
  return { task, begun, members: kept };
}

function openWalk(member: Member): Walk[] {
  return "walk" in member && member.walk.ending === undefined ? [member.walk] : [];
}

function isComplete(flight: Flight): boolean {
  return membersOf(flight).every((member) => ("walk" in member ? member.walk.ending !== undefined : "over" in member));
}

function isMixed(flight: Flight): boolean {
  const rewards = membersOf(flight).map((member) =>
    "walk" in member ? scoreValue(member.walk.reward) : "over" in member ? scoreValue(member.over.reward) : undefined,
  );
  return new Set(rewards.filter((reward) => reward !== undefined)).size > 1;
}

function tokensOf({ trajectory }: Suspended): number {
  return trajectory.usage?.completionTokens ?? 0;
}
