/**
 * The account of a training. It wraps every model and every world that an update can reach, so that whatever passes
 * through one of them is booked.
 */
import { wrapEnv, wrapEpisode } from "../env/wrap.ts";
import type { Env, Episode } from "../env/env.ts";
import type { Conversation, Policy, Scorer } from "limbeck-policy/policy/policy";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export interface Cost {
  readonly environmentSteps: number;
  readonly sampledTokens: number;
  /** Tokens read or scored that were not sampled. */
  readonly modelTokens: number;
}

export const NO_COST: Cost = { environmentSteps: 0, sampledTokens: 0, modelTokens: 0 };

export interface Ledger {
  /** Everything booked so far. */
  readonly cost: Cost;
  /** For what was played elsewhere, in worlds and by models that are not here. */
  book(more: Partial<Cost>): void;
  world(env: Env): Env;
  scorer(scorer: Scorer): Scorer;
  policy(policy: Policy): Policy;
  /** A model that samples and scores; what else it can do stays as it is. */
  model<Model extends Policy & Scorer>(model: Model): Model;
}

/** `before` is heard before every call of a model; what it throws ends the call. */
export function createLedger(before: () => void = () => undefined): Ledger {
  let cost = NO_COST;
  const book = (more: Partial<Cost>): void => {
    cost = plus(cost, more);
  };
  // The same thing is wrapped once, so that two scorers compare as equal.
  const known = new WeakMap<object, unknown>();
  const once = <Thing extends object>(thing: Thing, wrap: (inner: Thing) => Thing): Thing => {
    const found = known.get(thing) as Thing | undefined;
    if (found !== undefined) return found;
    const wrapped = wrap(thing);
    known.set(thing, wrapped);
    // What is booked already is not booked twice.
    known.set(wrapped, wrapped);
    return wrapped;
  };
  const calls = { book, before };
  return {
    get cost() {
      return cost;
    },
    book,
    world: (env) => once(env, (inner) => wrapEnv(inner, (episode) => bookedEpisode(episode, book))),
    scorer: (scorer) => once(scorer, (inner) => booked(inner, calls)),
    policy: (policy) => once(policy, (inner) => booked(inner, calls)),
    model: (model) => once(model, (inner) => booked(inner, calls)),
  };
}

/** Both halves of whatever has them: the start of a training on a trainer is asked as a scorer first, and acts later. */
function booked<Model extends Partial<Policy & Scorer>>(inner: Model, calls: Calls): Model {
  const { open, score, rough } = inner;
  return withMembers(inner, {
    // What a copy says while it explores is paid for like any other word.
    ...(rough === undefined ? {} : { rough: async () => booked(await rough.call(inner), calls) }),
    ...(open === undefined ? {} : { open: opening(inner as unknown as Policy, calls) }),
    ...(score === undefined ? {} : scoring(inner as unknown as Scorer, calls)),
  });
}

export function plus(cost: Cost, more: Partial<Cost>): Cost {
  return {
    environmentSteps: cost.environmentSteps + (more.environmentSteps ?? 0),
    sampledTokens: cost.sampledTokens + (more.sampledTokens ?? 0),
    modelTokens: cost.modelTokens + (more.modelTokens ?? 0),
  };
}

/** What was booked between two looks at the ledger. */
export function minus(later: Cost, earlier: Cost): Cost {
  return {
    environmentSteps: later.environmentSteps - earlier.environmentSteps,
    sampledTokens: later.sampledTokens - earlier.sampledTokens,
    modelTokens: later.modelTokens - earlier.modelTokens,
  };
}

/** What it took to play them, as far as they tell. */
export function costOf(episodes: readonly Trajectory[]): Cost {
  let [environmentSteps, sampledTokens, modelTokens] = [0, 0, 0];
  for (const { steps, streams } of episodes) {
    environmentSteps += steps.length;
    for (const { mask } of streams) {
      const own = mask.reduce((total, one) => total + one, 0);
      sampledTokens += own;
      modelTokens += mask.length - own;
    }
  }
  return { environmentSteps, sampledTokens, modelTokens };
}

type Book = Ledger["book"];

/** The same object, getters and all, with some of its members replaced. */
export function withMembers<Thing extends object>(inner: Thing, changes: Readonly<Record<string, unknown>>): Thing {
  const own = new Map<PropertyKey, unknown>(Object.entries(changes));
  // Not the object itself as the target: a frozen one allows nothing to be replaced.
  return new Proxy(Object.create(inner) as Thing, {
    get: (_target, name) => {
      if (own.has(name)) return own.get(name);
      const value: unknown = Reflect.get(inner, name, inner);
      return typeof value === "function" ? (value.bind(inner) as unknown) : value;
    },
  });
}

interface Calls {
  readonly book: Book;
  readonly before: () => void;
}

function scoring(inner: Scorer, { book, before }: Calls): Pick<Scorer, "score" | "topTokens"> {
  return {
    score: async (rows, options = {}) => {
      before();
      return await inner.score(rows, {
        ...options,
        report: (said) => {
          book({ modelTokens: said.tokens });
          options.report?.(said);
        },
      });
    },
    ...(inner.topTokens === undefined
      ? {}
      : {
          topTokens: async (rows, options) => {
            before();
            const found = await inner.topTokens?.(rows, options);
            book({ modelTokens: rows.reduce((total, { ids }) => total + ids.length, 0) });
            return found ?? [];
          },
        }),
  };
}

function opening(inner: Policy, calls: Calls): Policy["open"] {
  return (options) => bookedConversation(inner.open(options), calls);
}

/** `unread`: tokens that wait for the next sample; the model takes them in only then. */
function bookedConversation(inner: Conversation, calls: Calls, unread = 0): Conversation {
  const { book, before } = calls;
  return {
    get tokens() {
      return inner.tokens;
    },
    extend: (ids) => {
      inner.extend(ids);
      unread += ids.length;
    },
    sample: async (options) => {
      before();
      const sampled = await inner.sample(options);
      book({ sampledTokens: sampled.ids.length, modelTokens: unread });
      unread = 0;
      return sampled;
    },
    fork: (label) => bookedConversation(inner.fork(label), calls, unread),
    close: () => inner.close(),
  };
}

function bookedEpisode(inner: Episode, book: Book): Episode {
  return wrapEpisode(inner, {
    step: async (action, options) => {
      const result = await inner.step(action, options);
      book({ environmentSteps: 1 });
      return result;
    },
    fork: async () => bookedEpisode(await inner.fork(), book),
  });
}
