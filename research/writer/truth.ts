/** What is true of a group, checked by playing it again: what wins, what brings nearer, what was wasted. */
import { createRng, type Episode, type Task, type Trajectory } from "limbeck";
import type { Demonstrator, Seen } from "limbeck/env";
import { oneLine, type WriterWorld } from "./worlds.ts";

/** How a line of actions ends, and how many steps the expert then needs to win; Infinity where it no longer can. */
export interface Outlook {
  readonly won: boolean;
  readonly ended: boolean;
  readonly refused: boolean;
  readonly changed: boolean;
  readonly observation: string;
  readonly remaining: number;
  /** What the expert does next. */
  readonly next: string | undefined;
}

/** Replays of one task, each line of actions played once. */
export interface Ground {
  readonly task: Task;
  readonly after: (actions: readonly string[]) => Promise<Outlook>;
}

export function groundOf({ env, demonstrators }: WriterWorld, task: Task): Ground {
  const known = new Map<string, Promise<Outlook>>();
  const [expert] = demonstrators as [Demonstrator, ...Demonstrator[]];
  const play = async (actions: readonly string[]): Promise<Outlook> => {
    const episode = await env.open(task);
    try {
      const past: Seen[] = [seenAt(undefined, episode)];
      let [refused, changed] = [false, true];
      for (const action of actions) {
        if (episode.ending !== undefined) break;
        const before = episode.stateKey;
        refused = !(await episode.step(action)).valid;
        changed = episode.stateKey !== before || episode.ending !== undefined;
        past.push(seenAt(action, episode));
      }
      const here = {
        won: episode.success === true,
        ended: episode.ending !== undefined,
        refused,
        changed,
        observation: episode.observation,
      };
      if (here.ended) return { ...here, remaining: here.won ? 0 : Number.POSITIVE_INFINITY, next: undefined };
      let remaining = 0;
      let next: string | undefined;
      try {
        const demonstration = expert.start(task, createRng(task.id));
        let action = "";
        for (const seen of past) action = oneLine(demonstration.next(seen));
        next = action;
        while (episode.ending === undefined) {
          await episode.step(action);
          remaining += 1;
          if (episode.ending === undefined) {
            action = oneLine(demonstration.next(seenAt(action, episode)));
          }
        }
      } catch {
        remaining = Number.POSITIVE_INFINITY;
      }
      return { ...here, remaining: episode.success === true ? remaining : Number.POSITIVE_INFINITY, next };
    } finally {
      await episode.close();
    }
  };
  return {
    task,
    after: async (actions) => {
      const key = JSON.stringify(actions);
      let found = known.get(key);
      if (found === undefined) known.set(key, (found = play(actions)));
      return await found;
    },
  };
}

export type Waste = "refused" | "useless" | "leadsBack" | "tried";

/** One step of an episode in hindsight. */
export interface Judged {
  readonly action: string;
  /** It brought the expert nearer to winning. */
  readonly right: boolean;
  readonly waste: Waste | undefined;
  /** What brings nearer here, checked; undefined where nothing does any more. */
  readonly better: string | undefined;
  /** The expert could still win before it. */
  readonly open: boolean;
}

export async function judgeSteps(ground: Ground, { steps }: Trajectory): Promise<Judged[]> {
  const actions = steps.map(({ action }) => action);
  const met = new Set<string>();
  const judged: Judged[] = [];
  for (const [at, { action, valid, stateKey }] of steps.entries()) {
    met.add(stateKey);
    const before = await ground.after(actions.slice(0, at));
    const then = await ground.after(actions.slice(0, at + 1));
    const right = then.remaining < before.remaining;
    const nextKey = steps[at + 1]?.stateKey;
    const waste = !valid
      ? "refused"
      : !then.changed
        ? "useless"
        : nextKey !== undefined && met.has(nextKey)
          ? "leadsBack"
          : undefined;
    const open = Number.isFinite(before.remaining);
    let better: string | undefined;
    if (open && before.next !== undefined) {
      const tried = await ground.after([...actions.slice(0, at), before.next]);
      if (tried.remaining < before.remaining) better = before.next;
    }
    judged.push({ action, right, waste: right ? undefined : waste, better, open });
  }
  return judged;
}

function seenAt(action: string | undefined, episode: Episode): Seen {
  return { action, observation: episode.observation, admissible: episode.admissible() };
}

/** A winning line without its detours: steps that brought nothing nearer, where it wins without them. What told the agent something stays. */
export async function cleanWay(ground: Ground, winner: Trajectory): Promise<readonly string[] | undefined> {
  const judged = await judgeSteps(ground, winner);
  let way = judged.map((step) => step);
  if (!(await ground.after(way.map(({ action }) => action))).won) return undefined;
  for (const step of judged.filter(({ right }) => !right).toReversed()) {
    const shorter = way.filter((one) => one !== step);
    if (shorter.length > 0 && (await ground.after(shorter.map(({ action }) => action))).won) way = shorter;
  }
  return way.map(({ action }) => action);
}
