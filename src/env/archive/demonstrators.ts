/** Scripted readers: one follows the captions, one reads everything in order. Both see only what is open. */
import type { Demonstration, Demonstrator, Seen } from "../expert.ts";

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
  const words = new Set(caption.toLowerCase().match(/[a-z]+/g));
  return (goal.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => word.length > 3 && words.has(word)).length;
}
