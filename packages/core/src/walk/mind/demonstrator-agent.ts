/** An agent that follows a script of its world: an expert, a guesser. It says nothing and costs no model calls. */
import { createRng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import type { Demonstration, Demonstrator, Seen } from "../../env/expert.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Agent, Decision, Mind } from "./agent.ts";

/**
 * A scripted agent of a world; it says nothing, so it has no tokens.
 *
 * @example
 * import { getWorld } from "limbeck/env";
 *
 * const { demonstrators = {} } = await getWorld("countdown");
 * const expert = demonstrators["expert"];
 * if (expert !== undefined) console.log((await evaluate({ env: "countdown", policy: createDemonstratorAgent(expert), tasks: 2 })).success); // 1
 */
export function createDemonstratorAgent(demonstrator: Demonstrator): Agent {
  const ref = { name: demonstrator.id };
  return {
    ref,
    exact: false,
    answerTokens: 0,
    begin: (task, seed) => createMind(demonstrator, task, seed, []),
    resume: (task, seed, { steps, closing }) => {
      const past = steps.map(({ observation }, at) => ({ observation, action: steps[at - 1]?.action }));
      const now = { observation: closing?.observation ?? "", action: steps.at(-1)?.action };
      return createMind(demonstrator, task, seed, [...past, now]);
    },
  };
}

const SPOKEN = { tokens: 0, modelCalls: 0, ended: true, full: false };

/** A demonstration cannot be copied, so that a branch starts one anew and shows it the same past. */
function createMind(demonstrator: Demonstrator, task: Task, seed: string, past: readonly Seen[]): Mind {
  const seen: Seen[] = [...past];
  let demonstration: Demonstration | undefined;
  let shown = 0;
  let imposed: string | undefined;
  let told: string | undefined;
  const choose = (): string => {
    if (demonstrator.advise !== undefined) return advised();
    demonstration ??= demonstrator.start(task, createRng(seed));
    let action: string | undefined;
    for (; shown < seen.length; shown += 1) action = demonstration.next(seen[shown] as Seen);
    if (action !== undefined) return action;
    throw new EngineError("nothing-read", "The demonstrator has seen nothing new to act on.");
  };
  // One that lives elsewhere has been asked when it is time to decide; where an action is imposed it is not.
  const advised = (): string => {
    const action = told ?? imposed;
    told = undefined;
    if (action !== undefined) return action;
    throw new EngineError("nothing-read", `The demonstrator ${demonstrator.id} does not know what to do here.`);
  };
  return {
    read: ({ observation, action, admissible }) => {
      seen.push(new SeenNow(observation, action, admissible));
    },
    speak: () => Promise.resolve(SPOKEN),
    ...(demonstrator.advise === undefined
      ? {}
      : {
          consult: async () => {
            told = await demonstrator.advise?.(task, seen, createRng(seed));
          },
        }),
    impose: (action) => {
      imposed = action;
    },
    decide: (): Decision => {
      const own = choose();
      const action = imposed ?? own;
      imposed = undefined;
      return { action, readable: true };
    },
    said: 0,
    sharedTokens: 0,
    context: () => new Int32Array(),
    streams: () => [],
    answer: () => undefined,
    fork: (label) => createMind(demonstrator, task, `${seed} ${label}`, seen),
    // Steps are counted from the root, and so are moments: one is read before each step.
    branch: ({ step }, other) => createMind(demonstrator, task, other, seen.slice(0, step + 1)),
    close: () => undefined,
  };
}

/** Lists of actions are dear in some worlds, and most demonstrators do not look at them. */
class SeenNow implements Seen {
  readonly observation: string;
  readonly action: string | undefined;
  readonly #list: () => readonly string[] | undefined;
  #listed: { readonly actions: readonly string[] | undefined } | undefined;

  constructor(observation: string, action: string | undefined, list: () => readonly string[] | undefined) {
    this.observation = observation;
    this.action = action;
    this.#list = list;
  }

  get admissible(): readonly string[] | undefined {
    return (this.#listed ??= { actions: this.#list() }).actions;
  }
}
