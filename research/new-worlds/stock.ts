/**
 * Stock with returns: an order has two things. One that lies on the shelf is packed; one that came back is looked at first: a
 * good one is packed, a dirty one cleaned and packed, a broken one thrown away and ordered anew. Then the parcel goes to its town.
 */
import { drawOne, drawSome, smallWorld } from "./small-world.ts";

const THINGS = ["lamp", "chair", "desk", "clock", "vase", "mirror", "stool", "rug", "tent"];
const TOWNS = ["oslo", "rome", "lima", "cairo", "quito", "paris", "delhi", "perth", "turin", "busan"];
const CONDITIONS = ["new", "good", "dirty", "broken"] as const;

type Condition = (typeof CONDITIONS)[number];

interface Order {
  readonly things: readonly string[];
  /** New ones lie on the shelf, the others came back. */
  readonly conditions: readonly Condition[];
  readonly town: string;
}

interface Facts {
  readonly looked: readonly string[];
  /** Cleaned or thrown away. */
  readonly handled: readonly string[];
  /** Packed or ordered anew. */
  readonly done: readonly string[];
}

const added = (list: readonly string[], thing: string): readonly string[] => [...new Set([...list, thing])].toSorted();

export default smallWorld<Order, Facts>({
  id: "stock",
  title: "Stock with returns",
  meaning: "Packs what an order asks for: from the shelf, or from what came back, as its condition asks for.",
  maxSteps: 11,
  draw: (rng) => ({
    things: drawSome(THINGS, 2, rng),
    conditions: [drawOne(CONDITIONS, rng), drawOne(CONDITIONS, rng)],
    town: drawOne(TOWNS, rng),
  }),
  goal: ({ things, town }) => `send ${things.join(" and ")} to ${town}.`,
  facts: { looked: [], handled: [], done: [] },
  actions: ({ things }, { handled, done }) => [
    ...things
      .filter((thing) => !done.includes(thing))
      .flatMap((thing) => [
        `find ${thing}`,
        `pack ${thing}`,
        `order ${thing}`,
        ...(handled.includes(thing) ? [] : [`clean ${thing}`, `throw ${thing}`]),
      ]),
    ...(done.length === things.length ? TOWNS.map((town) => `send ${town}`) : []),
  ],
  act: ({ things, conditions, town }, { looked, handled, done }, action) => {
    const [, verb = "", word = ""] = /^(\w+) (\w+)$/.exec(action) ?? [];
    if (verb === "send" && TOWNS.includes(word) && done.length === things.length) {
      return { said: word === town ? "It arrives." : "It is lost.", won: word === town };
    }
    const condition = conditions[things.indexOf(word)];
    if (condition === undefined || done.includes(word)) return undefined;
    const isHandled = handled.includes(word);
    if (verb === "find") {
      const place = isHandled ? "is seen to" : condition === "new" ? "is on the shelf" : `came back ${condition}`;
      return { said: `The ${word} ${place}.`, facts: { looked: added(looked, word) } };
    }
    if ((verb === "clean" || verb === "throw") && !isHandled) {
      if (condition !== (verb === "clean" ? "dirty" : "broken")) return { said: `Why ${verb} it?`, won: false };
      const said = verb === "clean" ? `The ${word} is clean.` : `The ${word} is gone.`;
      return { said, facts: { handled: added(handled, word) } };
    }
    if (verb !== "pack" && verb !== "order") return undefined;
    const isReady = verb === "order" ? condition === "broken" && isHandled : condition === "dirty" ? isHandled : condition !== "broken"; // prettier-ignore
    if (!isReady) return { said: `The customer is angry.`, won: false };
    return { said: `${word} ${verb}ed.`, facts: { done: added(done, word) } };
  },
  expert: () => {
    let done = 0;
    return ({ observation }, goal) => {
      const [, one = "", other = "", town = ""] = /send (\w+) and (\w+) to (\w+)/.exec(goal) ?? [];
      if (observation.endsWith("ed.")) done += 1;
      const thing = [one, other][done];
      if (thing === undefined) return `send ${town}`;
      if (observation.endsWith("dirty.")) return `clean ${thing}`;
      if (observation.endsWith("broken.")) return `throw ${thing}`;
      if (observation.endsWith("gone.")) return `order ${thing}`;
      return /shelf\.|good\.|clean\./.test(observation) ? `pack ${thing}` : `find ${thing}`;
    };
  },
});
