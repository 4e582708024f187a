/** What a chooser sees of each world: a few words of the situation, and words of each action. */
import type { Task } from "../../../packages/base/src/trajectory/trajectory.ts";
import type { Reading } from "./chooser.ts";

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

/** How often something was done before, at most twice. */
const times = (before: readonly string[], action: string): number => Math.min(2, before.filter((one) => one === action).length); // prettier-ignore

const kindOf = (action: string): string => wordsOf(action)[0] ?? "";

/** The last thing that was taken and not put down; what the last command did; the words of the goal. */
export const householdReading: Reading = {
  context: ({ goal }: Task, observation, before) => {
    const last = before.at(-1) ?? "start";
    const hands = before.reduce((held, one) => (one.startsWith("take") ? "held" : /^(?:move|put)/.test(one) ? "free" : held), "free"); // prettier-ignore
    const treated = before.findLast((one) => /^(?:heat|cool|clean|use)/.test(one));
    const nothing = /nothing/i.test(observation) ? "nothing happens" : "";
    const wanted = wordsOf(goal).filter((word) => /^(?:put|hot|cool|clean|heat|two|look|examine|under|some|find)$/.test(word)); // prettier-ignore
    return [`${hands} after ${kindOf(last)}`, hands, `${hands} ${treated === undefined ? "" : kindOf(treated)}`, nothing, ...wanted.map((word) => `${hands} ${word}`)]; // prettier-ignore
  },
  action: (action, { goal }, before) => {
    const [kind = "", ...rest] = wordsOf(action);
    const asked = new Set(wordsOf(goal));
    const named = rest.filter((word) => asked.has(word)).length;
    const again = times(before, action);
    return [kind, `${kind} ${named}`, `${kind} again ${again}`, `${kind} ${named} again ${again}`, ...rest.slice(-2).map((word) => `${kind} ${word}`)]; // prettier-ignore
  },
};

/** Which ways the goal lies, which sides are walled, and where the last step led. */
export const gridReading: Reading = {
  context: (_task, observation, before) => {
    const parts = observation.split(", ");
    const goal = parts.find((part) => part.startsWith("goal")) ?? "";
    const ways = (goal.match(/[a-z]+/g) ?? []).slice(1);
    const near = parts.filter((part) => /^wall \w+ 1$/.test(part));
    return [...ways.map((way) => `goal ${way}`), `goal ${ways.join(" ")}`, ...near, `after ${before.at(-1) ?? ""}`];
  },
  action: (action) => [action],
};
