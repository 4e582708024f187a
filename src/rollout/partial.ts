/** APRIL: more groups begin than are needed; once enough are complete, the others are kept and go on next time. */
import { EngineError, option } from "../base/index.ts";
import { scoreValue, trajectoryFromJson, type JsonObject, type Task, type Trajectory } from "../trajectory/index.ts";
import { range } from "./ask.ts";
import { defineStrategy, type Scope } from "./strategy.ts";
import type { Suspended, Walk } from "../walk/line/walk.ts";

interface PartialOptions {
  readonly size: number;
  readonly target: number;
  readonly cut: "token" | "step";
  readonly tick: number;
  readonly onlyMixed: boolean;
}

/** A group that was not complete: its members, open or over, and the rollout in which it began. */
interface KeptGroup {
  readonly task: Task;
  readonly begun: number;
  readonly members: readonly Suspended[];
}

/** One member in flight: a walk, an episode that was over earlier, or one that the purse could not pay yet. */
type Member =
  | { readonly walk: Walk }
  | { readonly over: Trajectory; readonly kept: Suspended }
  | { readonly kept: Suspended };

interface Flight {
  readonly task: Task;
  readonly begun: number;
  readonly members: readonly Member[];
}

interface Memory {
  rollouts: number;
  kept: KeptGroup[];
}

export const partial = defineStrategy({
  info: {
    title: "Partial rollouts (APRIL)",
    paper: "APRIL: Active Partial Rollouts in Reinforcement Learning to Tame Long-tail Generation",
    confidence: "code",
    formula: [
      "in flight: as many groups as there are tasks; kept groups first, then new ones",
      "stop when ceil(target * tasks) groups are complete: every member is over",
      "the others are kept with their tokens, log-probabilities and versions; they go on first in the next rollout, each within what is left of its episode's token limit",
    ],
    meaning: "Begins more groups than are needed and lets the slow ones go on in the next rollout instead of waiting.",
    departures: [
      "Who is first is decided by a clock of tokens: in every round each open episode says `tick` tokens. So one seed gives one forest; time spent in the world does not count.",
      "Groups that were complete in the same round are all given; the published code drops those beyond the target.",
      "Tasks that find no place in flight are not begun; give them again.",
      "An answer cannot be cut where the dialect ends it by more than one token: choose cut: step.",
    ],
  },
  needs: [],
  options: {
    size: option.number(8, "episodes per task", { least: 1, whole: true }),
    target: option.number(0.5, "share of the groups in flight that a rollout waits for", { least: 0, most: 1 }),
    cut: option.choice(
      "token",
      ["token", "step"],
      "where an episode may be interrupted: inside an answer, or only between steps",
    ),
    tick: option.number(64, "tokens of an episode per round", { least: 1, whole: true }),
    onlyMixed: option.flag(false, "only groups whose rewards differ count towards the target (dynamic sampling)"),
  },
  create: (options) => {
    const memory: Memory = { rollouts: 0, kept: [] };
    return {
      run: (scope) => rollPartly(scope, options, memory),
      save: () => ({ ...memory }) as unknown as JsonObject,
      load: (state) => {
        const { rollouts, kept } = state as unknown as Memory;
        Object.assign(memory, { rollouts, kept: [...kept] });
      },
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
  const groups = [...old, ...fresh.map((task) => ({ task, begun, members: [] }))];
  const flights = await scope.each(groups, (own, group) => takeOff(own, group, options.size, begun), {
    walks: options.size,
  });
  const target = Math.max(1, Math.ceil(options.target * tasks.length));
  const counts = (flight: Flight): boolean => isComplete(flight) && (!options.onlyMixed || isMixed(flight));
  for (;;) {
    const open = flights.flatMap(({ members }) => members.flatMap(openWalk));
    if (open.length === 0 || flights.filter(counts).length >= target) break;
    await scope.together(open, (walk) => tick(walk, scope.agent.exact && options.cut === "token", options.tick));
  }
  const rest = memory.kept.slice(old.length);
  const still: KeptGroup[] = [];
  for (const flight of flights) {
    if (isComplete(flight)) flight.members.forEach((member) => "over" in member && scope.adopt(member.over));
    else still.push(await land(flight));
  }
  memory.kept = [...still, ...rest];
}

/** Opens the members of a new group, or goes on with those of a kept one. */
async function takeOff(scope: Scope, group: KeptGroup, size: number, rollout: number): Promise<Flight> {
  const { task, begun, members } = group;
  const started =
    members.length === 0
      ? await scope.each(range(size), async (own, member) => {
          const walk = await own.open(task, member, { info: { partial: { begun } } });
          return walk === undefined ? [] : [{ walk }];
        })
      : await scope.each(members, async (own, kept) => [await goOn(own, kept, { begun, resumed: rollout })]);
  return { task, begun, members: started.flat() };
}

async function goOn(scope: Scope, kept: Suspended, partialInfo: JsonObject): Promise<Member> {
  if (kept.over) return { over: trajectoryFromJson(kept.trajectory, `kept episode "${kept.label}"`), kept };
  const walk = await scope.resume(kept);
  if (walk === undefined) return { kept };
  walk.note({ partial: partialInfo });
  return { walk };
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
async function land({ task, begun, members }: Flight): Promise<KeptGroup> {
  const kept: Suspended[] = [];
  for (const member of members) kept.push("walk" in member ? await member.walk.suspend() : member.kept);
  return { task, begun, members: kept };
}

function openWalk(member: Member): Walk[] {
  return "walk" in member && member.walk.ending === undefined ? [member.walk] : [];
}

function isComplete({ members }: Flight): boolean {
  return members.every((member) => ("walk" in member ? member.walk.ending !== undefined : "over" in member));
}

function isMixed({ members }: Flight): boolean {
  const rewards = members.map((member) =>
    "walk" in member ? scoreValue(member.walk.reward) : "over" in member ? scoreValue(member.over.reward) : undefined,
  );
  return new Set(rewards.filter((reward) => reward !== undefined)).size > 1;
}
