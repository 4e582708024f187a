/** Scripted readers: one follows the captions, one reads everything in order. Both see only what is open. */
import { cutWords, wordSet } from "limbeck-base/base/words";
import type { Demonstration, Demonstrator, Seen } from "limbeck-core/env/expert";

export const expert: Demonstrator = {
  id: "expert",
  summary: "Opens what its caption makes likely, turns back from dead ends, and answers when it has read the fact.",
  start: ({ goal }) => readThrough(goal, ({ caption }) => overlap(goal, caption)),
};

export const slowReader: Demonstrator = {
  id: "reader",
  summary: "Reads every page in order until it has read the fact.",
  start: ({ goal }) => readThrough(goal, () => 0),
};

export const breadthReader: Demonstrator = {
  id: "breadth",
  summary: "Opens all shelves, then all books, then the pages in order, until it has read the fact.",
  start: ({ goal }) => readByDepth(goal),
};

/** Breadth first: every place of one depth before any that lies deeper, and the way there each time from where it stands. */
function readByDepth(goal: string): Demonstration {
  const waiting: (readonly string[])[] = [];
  const known = new Set<string>();
  let path: readonly string[] = [];
  let target: readonly string[] = [];
  return {
    next: ({ action, observation }) => {
      if (action === "up") path = path.slice(0, -1);
      else if (action?.startsWith("open ") === true) path = [...path, action];
      const answer = answerIn(goal, observation);
      if (answer !== undefined) return `answer ${answer}`;
      if (!known.has(path.join("/"))) {
        known.add(path.join("/"));
        waiting.push(...choices(observation).map((choice) => [...path, choice.action]));
      }
      if (path.join("/") === target.join("/")) target = waiting.shift() ?? [];
      const shared = target.findIndex((step, at) => path[at] !== step);
      const isAbove = shared === path.length || (shared < 0 && path.length <= target.length);
      return isAbove ? (target[path.length] ?? "up") : "up";
    },
  };
}

interface Choice {
  readonly action: string;
  readonly caption: string;
}

/** Depth first, the best choice of a place first, everything at most once. */
function readThrough(goal: string, worth: (choice: Choice) => number): Demonstration {
  const done = new Set<string>();
  const path: string[] = [];
  return {
    next: (seen: Seen) => {
      if (seen.action === "up") path.pop();
      else if (seen.action?.startsWith("open ") === true) path.push(seen.action);
      const answer = answerIn(goal, seen.observation);
      if (answer !== undefined) return `answer ${answer}`;
      const here = path.join("/");
      const open = choices(seen.observation).filter(({ action }) => !done.has(`${here}/${action}`));
      // The first of the best, so that equal ones are read in order.
      const best = open.toSorted((left, right) => worth(right) - worth(left))[0];
      if (best === undefined) return "up";
      done.add(`${here}/${best.action}`);
      return best.action;
    },
  };
}

function choices(observation: string): Choice[] {
  return [...observation.matchAll(/^(\d+): (.*)$/gm)].map(([, number = "", caption = ""]) => ({
    action: `open ${number}`,
    caption,
  }));
}

function answerIn(goal: string, observation: string): string | undefined {
  const asked = /^Who was (the .+ of \S+)\?$/.exec(goal)?.[1];
  if (asked === undefined) return undefined;
  const at = observation.toLowerCase().indexOf(`${asked} was `.toLowerCase());
  if (at < 0) return undefined;
  const rest = observation.slice(at + asked.length + " was ".length);
  return rest.slice(0, rest.indexOf("."));
}

/** Words of the question that the caption holds. */
function overlap(goal: string, caption: string): number {
  const telling = { pattern: /[a-z]+/g, least: 4 };
  const words = wordSet(caption, telling);
  return cutWords(goal, telling).filter((word) => words.has(word)).length;
}
