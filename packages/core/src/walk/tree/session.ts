/** What all scopes of one search share. */
import { EngineError, errorData, type PlainError } from "limbeck-base/base/errors";
import { listedActions } from "../../env/world-faults.ts";
import { createCalls, type Calls } from "../calls.ts";
import type { Prices, Purse } from "../purse.ts";
import { cancelledError, limitedEnv, type Begun } from "../scope.ts";
import { createAlike, type Alike } from "./alike.ts";
import { Minds, takePiece, Worlds } from "./kept.ts";
import { SearchNode } from "./node.ts";
import { TokenTape } from "./pieces.ts";
import type { RunSearchOptions } from "./search.ts";

export interface SearchCounts {
  /** Nodes of the tree, simulated ones included, without the root. */
  nodes: number;
  /** Proposals that meant the same as another one and were not carried out again. */
  merged: number;
  /** Nodes that a replay did not lead to again. */
  dropped: number;
  /** Calls of the policy, the world or a text model that failed. */
  failed: number;
  /** Answers of the policy and replies of the world that were remembered instead of asked for. */
  remembered: number;
  /** Actions carried out, in any copy of the world, that no later action takes back. */
  irreversible: number;
}

type Given = Required<Pick<RunSearchOptions, "env" | "agent" | "task" | "attempts" | "seesOutcome" | "now">>;

export interface Session extends Given, Pick<RunSearchOptions, "asker" | "value" | "onNode"> {
  readonly seed: string;
  readonly signal: AbortSignal;
  /** The account of the whole search, and what is spent from here: a purse within it. */
  readonly account: Purse;
  readonly purse: Purse;
  readonly prices: Prices;
  readonly calls: Calls;
  readonly worlds: Worlds;
  readonly minds: Minds;
  readonly alike: Alike;
  readonly memory: AnswerCache;
  readonly counts: SearchCounts;
  /** The first failures, to say why a search found nothing. */
  readonly failures: PlainError[];
  readonly root: SearchNode;
  readonly tape: TokenTape;
  readonly rounds: Rounds;
  /** Nothing is carried out that cannot be taken back. */
  readonly guarded: boolean;
}

/** Answers and replies that are remembered, where the caller allows it. */
export interface AnswerCache {
  /** Answers of the policy by state and number. */
  readonly answers: Map<string, string> | undefined;
  /** Nodes by depth, state and action: what the world replied there it replies again. */
  readonly replies: Map<string, SearchNode> | undefined;
}

/** Work at the outermost level; what is kept for nodes is let go between two pieces of it. */
export interface Rounds {
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

function createRounds(between: () => void): Rounds {
  let inside = 0;
  return {
    during: async (work) => {
      inside += 1;
      try {
        return await work();
      } finally {
        inside -= 1;
        if (inside === 0) between();
      }
    },
  };
}

/** The beginning of a search: its world, its agent and an empty tree. */
export async function openSession(options: RunSearchOptions, begun: Begun): Promise<Session> {
  const { agent, task, keep = {}, attempts = 3, seesOutcome = true, remember = {} } = options;
  const { stop, purse, prices, now } = begun;
  const { signal } = stop;
  const env = limitedEnv(options.env, options.steps);
  const seed = `${typeof options.seed}:${options.seed} ${task.id}`;
  const calls = openCalls(options, signal, now);
  const counts: SearchCounts = { nodes: 0, merged: 0, dropped: 0, failed: 0, remembered: 0, irreversible: 0 };
  const dropped = (nodes: number): void => void (counts.dropped += nodes);
  const most = keep.worlds ?? 1_024;
  const worlds = new Worlds({ env, task, calls, signal, attempts, most, mode: options.worlds ?? "fork", dropped });
  const minds = new Minds({ agent, task, seed, most: keep.minds ?? (agent.exact ? 256 : 4_096) });
  const tape = new TokenTape();
  const rounds = createRounds(() => {
    worlds.trim();
    minds.trim();
  });
  const memory = {
    answers: remember.answers === true ? new Map<string, string>() : undefined,
    replies: remember.replies === true ? new Map<string, SearchNode>() : undefined,
  };
  try {
    const root = await openRoot(worlds, minds, tape);
    const { asker, onNode, search, value = search.value } = options;
    const given = { env, agent, task, attempts, seesOutcome, now, asker, value, onNode };
    const own = {
      seed,
      signal,
      account: purse,
      purse,
      prices,
      calls,
      worlds,
      minds,
      memory,
      counts,
      root,
      tape,
      rounds,
    };
    return { ...given, ...own, alike: createAlike(options.alike), failures: [], guarded: false } as Session;
  } catch (error) {
    calls.close();
    worlds.close();
    minds.close();
    if (signal.aborted) throw cancelledError("search", signal);
    throw new EngineError("search-failed", `Task "${task.id}" cannot be opened: ${errorData(error).message}`, {
      cause: error,
      details: { task: task.id, env: env.id },
    });
  }
}

function openCalls(options: RunSearchOptions, signal: AbortSignal, now: () => number): Calls {
  const { agent, task, concurrency = agent.concurrency ?? 64, policySeconds = 600, envSeconds = 60 } = options;
  const policyName = agent.ref.name;
  return createCalls({ concurrency, policySeconds, envSeconds, signal, now, task: task.id, policyName });
}

async function openRoot(worlds: Worlds, minds: Minds, tape: TokenTape): Promise<SearchNode> {
  const world = await worlds.open();
  const live = minds.begin();
  const { observation, stateKey, ending, reward, success } = world;
  if (ending === undefined) {
    live.mind.read({ step: 0, observation, action: undefined, admissible: () => listedActions(world) });
  }
  const place = { parent: undefined, order: 0, step: undefined, piece: takePiece(live, undefined, tape) };
  const seen = { observation, stateKey, ending, reward, success };
  const root = new SearchNode({ ...place, ...seen, simulated: false, logprob: undefined, said: 0 });
  worlds.put(root, world);
  minds.put(root, live);
  return root;
}
