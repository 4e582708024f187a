/**
 * The world: an HTTP service. A task opens a session of it, an action is a request, and the answer is what the agent sees.
 *
 * A copy of an episode is a new session in which the same actions are repeated. That is right only where repeating them
 * is harmless: of a service that pays or mails, refuse `fork` instead.
 */
import { option, scored, unscored, type Env, type Episode, type Score, type Task, defineWorld } from "limbeck";
import { episodeOf, unknownSplit, type Demonstrator } from "limbeck/env";
import { startService } from "./server.ts";

const ID = "parcels";
const DOORS = 6;
const MAX_STEPS = 4;
/** Tasks of each split; the seeds of one are those of no other. */
const SPLITS: Readonly<Record<string, { readonly first: number; readonly size: number }>> = {
  train: { first: 0, size: 1_000 },
  valid: { first: 10_000, size: 100 },
};

function createEnv(service: string): Env {
  return {
    id: ID,
    summary: "Finds a parcel by asking an HTTP service.",
    maxSteps: MAX_STEPS,
    splits: Object.fromEntries(Object.entries(SPLITS).map(([name, { size }]) => [name, size])),
    tasks: (split, { offset = 0, count = Infinity } = {}) => {
      const found = SPLITS[split];
      if (found === undefined) throw unknownSplit(ID, split, Object.keys(SPLITS));
      const { first, size } = found;
      return Array.from({ length: Math.max(0, Math.min(count, size - offset)) }, (_, at) => ({
        id: `${ID}/${split}/${offset + at}`,
        env: ID,
        seed: first + offset + at,
        goal: "Find the parcel. Say: open door N.",
        split,
      }));
    },
    open: (task) => open(service, task),
  };
}

/** What the service answers, as far as the world uses it. Whatever else comes is ignored. */
interface Answer {
  readonly session?: string;
  readonly text?: string;
  readonly accepted?: boolean;
  readonly done?: boolean;
  readonly success?: boolean;
}

interface State {
  readonly session: string;
  /** What was done so far, to be repeated in a copy. */
  readonly actions: readonly string[];
  readonly observation: string;
  readonly done: boolean;
  readonly success: boolean;
  /** Why the service was lost, where it was. */
  readonly lost?: string;
}

async function open(service: string, task: Task): Promise<Episode> {
  const ending = ({ lost, done, actions }: State): Episode["ending"] => {
    if (lost !== undefined) return "failed";
    return done ? "terminated" : actions.length >= MAX_STEPS ? "truncated" : undefined;
  };
  const reward = ({ lost, success }: State): Score => (lost === undefined ? scored(success ? 1 : 0) : unscored(lost));
  const begin = async (): Promise<State> => {
    const { session = "", text = "" } = await call(`${service}/sessions`, "POST", { seed: task.seed });
    return { session, actions: [], observation: `${text} ${task.goal}`, done: false, success: false };
  };
  const act = async (state: State, action: string): Promise<State & { readonly accepted: boolean }> => {
    const answer = await call(`${service}/sessions/${state.session}/actions`, "POST", { text: action });
    const { text = state.observation, accepted = false, done = false, success = false } = answer;
    return { ...state, actions: [...state.actions, action], observation: text, done, success, accepted };
  };
  return episodeOf(task, await begin(), {
    observation: ({ observation }) => observation,
    stateKey: ({ observation }) => observation,
    ending,
    reward,
    success: (state) => (ending(state) === undefined || state.lost !== undefined ? null : state.success),
    failure: ({ lost }) => (lost === undefined ? undefined : { code: "server-lost", message: lost }),
    admissible: (state) =>
      ending(state) === undefined ? Array.from({ length: DOORS }, (_, at) => `open door ${at + 1}`) : [],
    step: async (state, action) => {
      try {
        const { accepted, ...next } = await act(state, action);
        return { state: next, valid: accepted, reward: reward(next) };
      } catch (error) {
        // A service that is gone is no failure of the agent: the episode counts for nothing, and never as 0.
        const next = { ...state, lost: error instanceof Error ? error.message : String(error) };
        return { state: next, valid: false, reward: reward(next) };
      }
    },
    fork: async ({ actions }) => {
      let copy = await begin();
      for (const action of actions) copy = await act(copy, action);
      return copy;
    },
    close: async ({ session }) => {
      // The episode is over; a service that is gone has closed it too.
      await call(`${service}/sessions/${session}`, "DELETE").catch(() => undefined);
    },
  });
}

async function call(url: string, method: string, body?: object): Promise<Answer> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(10_000),
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}.`);
  return (await response.json()) as Answer;
}

/** Shows how a task is done, from what it has seen alone: it halves what is left. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Follows the notes, halving what is left.",
  start: () => {
    let [low, high] = [1, DOORS];
    return {
      next: ({ observation }) => {
        const [, door, side] = /door (\d) is a note: further (left|right)/.exec(observation) ?? [];
        if (side === "right") low = Number(door) + 1;
        if (side === "left") high = Number(door) - 1;
        return `open door ${Math.floor((low + high) / 2)}`;
      },
    };
  },
};

export default defineWorld({
  id: ID,
  info: { title: "Parcels", meaning: "Finds a parcel by asking an HTTP service." },
  options: { url: option.text(null, "address of the service; none: the small one of this folder is started") },
  // An address that stands in a stored run is called only with your word.
  addresses: ["url"],
  create: async ({ url }) => createEnv(url ?? (await startService()).url),
  demonstrators: { expert },
});
