/**
 * Players who know the way and make mistakes, for models that are to have something left to learn: every mistake is one that
 * a reward can name (a question asked again, an angry patient, a guess, a page read for nothing).
 */
import { drawWeighted } from "../../../packages/base/src/base/rng.ts";
import type { Rng, Task } from "limbeck";
import type { Demonstrator, Seen } from "limbeck/env";

/** What may be done next, with how likely each is. */
export type Ways = ReadonlyMap<string, number>;

export type Mind = (seen: Seen) => Ways;

/** What one who makes no mistakes would do, and one who makes them. */
export interface Players {
  readonly careful: Mind;
  readonly careless: Mind;
}

export type PlayersOf = (task: Task, rng: Rng, demonstrators: Readonly<Record<string, Demonstrator>>) => Players;

/** Shares of a careless listener's turns; the rest is what the expert does. */
const TALK = { again: 0.18, guess: 0.11, soothe: 0.1, aimless: 0.08 } as const;
/** How often an angry tone is not heeded. */
const BLUNT = 0.5;

const ASK = "ask about ";
const CONCLUDE = "diagnose ";
const SOOTHE = "reassure";

export const talkPlayers: PlayersOf = (task, rng, { expert, blunt }) => {
  const careful = (expert as Demonstrator).start(task, rng);
  const deaf = (blunt as Demonstrator).start(task, rng);
  const told = new Set<string>();
  return {
    careful: (seen) => new Map([[careful.next(seen), 1]]),
    careless: (seen) => {
      const { admissible = [] } = seen;
      const asks = admissible.filter((action) => action.startsWith(ASK));
      const guesses = admissible.filter((action) => action.startsWith(CONCLUDE));
      const last = seen.observation.split("\n").at(-1) ?? "";
      if (seen.action === undefined) {
        for (const ask of asks) if (last.includes(ask.slice(ASK.length))) told.add(ask);
      } else if (asks.includes(seen.action)) told.add(seen.action);
      const ways = new Map<string, number>();
      const share = (actions: readonly string[], weight: number): void => {
        for (const action of actions) ways.set(action, (ways.get(action) ?? 0) + weight / actions.length);
      };
      const known = asks.filter((ask) => told.has(ask));
      const left = asks.filter((ask) => !told.has(ask));
      share(known, TALK.again);
      share(guesses, TALK.guess);
      share([SOOTHE], TALK.soothe);
      share(left, TALK.aimless);
      const rest = 1 - [...ways.values()].reduce((sum, weight) => sum + weight, 0);
      share([careful.next(seen)], rest * (1 - BLUNT));
      share([deaf.next(seen)], rest * BLUNT);
      return ways;
    },
  };
};

/** Shares of a wandering reader's steps. */
const ARCHIVE = {
  /** At a shelf or a book: another than the likeliest, and going up too soon. */
  other: 0.35,
  up: 0.12,
  /** On the page with the answer: another name, and overlooking it. On other pages: a guess. */
  wrong: 0.15,
  overlook: 0.2,
  guess: 0.12,
  /** Opening again what held nothing, where everything was opened. */
  again: 0.25,
} as const;

export const archivePlayers: PlayersOf = ({ goal }) => {
  const asked = /^Who was (the .+ of \S+)\?$/.exec(goal)?.[1] ?? "";
  const opened = new Set<string>();
  const path: string[] = [];
  const see = ({ action, observation, admissible = [] }: Seen) => {
    if (action === "up") path.pop();
    else if (action?.startsWith("open ") === true) {
      path.push(action);
      opened.add(path.join("/"));
    }
    const opens = [...observation.matchAll(/^(\d+): (.*)$/gm)].map(([, number = "", caption = ""]) => ({
      action: `open ${number}`,
      worth: overlap(goal, caption),
    }));
    const fresh = opens.filter((one) => !opened.has([...path, one.action].join("/")));
    const best = fresh.toSorted((left, right) => right.worth - left.worth)[0]?.action;
    const names = admissible.filter((one) => one.startsWith("answer "));
    const right = names.find((one) =>
      observation.toLowerCase().includes(`${asked} was ${one.slice(7)}.`.toLowerCase()),
    );
    return { opens: opens.map((one) => one.action), best, names, right };
  };
  return {
    careful: (seen) => {
      const { best, right } = see(seen);
      return new Map([[right ?? best ?? "up", 1]]);
    },
    careless: (seen) => {
      const { opens, best, names, right } = see(seen);
      const ways = new Map<string, number>();
      const share = (actions: readonly string[], weight: number): void => {
        for (const action of actions) ways.set(action, (ways.get(action) ?? 0) + weight / actions.length);
      };
      if (right !== undefined) {
        share([right], 1 - ARCHIVE.wrong - ARCHIVE.overlook);
        share(
          names.filter((name) => name !== right),
          ARCHIVE.wrong,
        );
        share(["up"], ARCHIVE.overlook);
      } else if (opens.length === 0) {
        share(["up"], 1 - ARCHIVE.guess);
        share(names, ARCHIVE.guess);
      } else if (best === undefined) {
        share(path.length > 0 ? ["up"] : opens, 1 - ARCHIVE.again);
        share(opens, ARCHIVE.again);
      } else {
        const up = path.length > 0 ? ARCHIVE.up : 0;
        share([best], 1 - ARCHIVE.other - up);
        share(
          opens.filter((one) => one !== best),
          ARCHIVE.other,
        );
        share(["up"], up);
      }
      return new Map([...ways].filter(([, weight]) => weight > 0));
    },
  };
};

/** Words of the question that the caption holds. */
function overlap(goal: string, caption: string): number {
  const words = new Set(caption.toLowerCase().match(/[a-z]+/g));
  return (goal.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => word.length > 3 && words.has(word)).length;
}

export function drawWay(ways: Ways, rng: Rng): string {
  return drawWeighted([...ways], rng) ?? "";
}
