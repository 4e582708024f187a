/** Parts that keep their contracts, and the same with something put in the place of a field: what broken ones are made of. */
import {
  defineCredit,
  defineObjective,
  defineRecipe,
  defineReward,
  defineSearch,
  defineStrategy,
  defineWorld,
  scored,
  type Env,
  type Episode,
  type Task,
} from "limbeck";
import { defineAgent } from "limbeck/search";
import { episodeClosed, episodeEnded } from "limbeck/env";

// oxlint-disable-next-line typescript/no-explicit-any -- broken parts have the wrong types on purpose
type Loose = any;

const info = {
  title: "T",
  meaning: "M.",
  paper: "Our own",
  confidence: "practice",
  formula: [],
  departures: [],
} as const;

const LENGTH = 3;

interface Place {
  at: number;
  steps: number;
}

/** A corridor: "on" three times ends it with success. */
export function episode(task: Task, place: Place = { at: 0, steps: 0 }, changes: Loose = {}): Episode {
  let isClosed = false;
  const ending = (): Episode["ending"] =>
    place.at >= LENGTH ? "terminated" : place.steps >= 8 ? "truncated" : undefined;
  const good: Episode = {
    task,
    get observation() {
      return `At ${place.at}.`;
    },
    get stateKey() {
      return String(place.at);
    },
    get ending() {
      return ending();
    },
    get reward() {
      return scored(place.at >= LENGTH ? 1 : 0);
    },
    get success() {
      return ending() === undefined ? null : place.at >= LENGTH;
    },
    admissible: () => (ending() === undefined ? ["on", "wait"] : []),
    step: (action) => {
      const end = ending();
      if (isClosed) return Promise.reject(episodeClosed(task));
      if (end !== undefined) return Promise.reject(episodeEnded(task, end));
      const valid = action === "on" || action === "wait";
      place.steps += 1;
      if (action === "on") place.at += 1;
      const reward = scored(place.at >= LENGTH ? 1 : 0);
      const success = ending() === undefined ? null : place.at >= LENGTH;
      return Promise.resolve({ observation: `At ${place.at}.`, reward, valid, ending: ending(), success });
    },
    fork: () => Promise.resolve(episode(task, { ...place }, changes)),
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
  const own = typeof changes === "function" ? changes(good, place) : changes;
  return Object.defineProperties(good, Object.getOwnPropertyDescriptors(own));
}

export function env(changes: Loose = {}, ofEpisode: Loose = {}): Env {
  return {
    id: "corridor",
    summary: "A corridor.",
    maxSteps: 8,
    splits: { train: 6 },
    *tasks(split: string, { offset = 0, count = 6 }: { offset?: number; count?: number } = {}) {
      for (let at = offset; at < Math.min(6, offset + count); at += 1) {
        yield { id: `${split}-${at}`, env: "corridor", seed: at, goal: "Go on.", split };
      }
    },
    open: (task) => Promise.resolve(episode(task, undefined, ofEpisode)),
    ...changes,
  };
}

export const world = (ofEnv: Loose = {}, ofEpisode: Loose = {}, more: Loose = {}) =>
  defineWorld({ id: "corridor", info, options: {}, create: () => env(ofEnv, ofEpisode), ...more });

export const reward = (score: Loose) => defineReward({ id: "own", info, options: {}, score });

export const credit = (compute: Loose) =>
  defineCredit({
    info,
    options: {},
    laws: { shift: false, scale: "proportional", zeroSum: false },
    example: { about: "No rows.", batch: { rows: [], trajectories: {} } },
    compute,
  });

export const strategy = (run: Loose) => defineStrategy({ info, options: {}, create: () => ({ run }) });

export const search = (run: Loose) => defineSearch({ info, options: {}, create: () => ({ run }) });

export const recipe = (update: Loose) => defineRecipe({ info, credit: "grpo", settings: {}, update });

export const objective = (create: Loose) =>
  defineObjective({ id: "own", info, policyLoss: true, options: {}, needs: ["logprob"], rowFields: [], create });

export const agent = (create: Loose) => defineAgent({ info, create });
