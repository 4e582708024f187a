/** The beginning of a search: its world, its agent, its purse and an empty tree. */
import { EngineError, errorData } from "../../base/index.ts";
import { withTimeLimit } from "../../env/index.ts";
import { createAlike } from "./alike.ts";
import { createPurse, priceOf } from "../purse.ts";
import { createCalls, type Calls } from "../calls.ts";
import { listedActions } from "../../env/world-faults.ts";
import { Minds, takePiece } from "./minds.ts";
import { SearchNode } from "./node.ts";
import type { RunSearchOptions } from "./search-options.ts";
import { createRounds, type SearchCounts, type Session } from "./session.ts";
import { TokenTape } from "./token-tape.ts";
import { Worlds } from "./worlds.ts";

export async function openSession(options: RunSearchOptions, signal: AbortSignal, now: () => number): Promise<Session> {
  const { agent, task, budget = {}, keep = {}, steps, attempts = 3 } = options;
  const env = steps === undefined || steps >= options.env.maxSteps ? options.env : withTimeLimit(options.env, steps);
  const seed = `${typeof options.seed}:${options.seed} ${task.id}`;
  const prices = priceOf(options.prices);
  const purse = createPurse(budget, now, prices);
  const calls = openCalls(options, signal, now);
  const counts: SearchCounts = { nodes: 0, merged: 0, dropped: 0, failed: 0, remembered: 0, irreversible: 0 };
  const dropped = (nodes: number): void => void (counts.dropped += nodes);
  const most = keep.worlds ?? 1_024;
  const worlds = new Worlds({ env, task, calls, signal, attempts, most, mode: options.worlds ?? "fork", dropped });
  const minds = new Minds({ agent, task, seed, most: keep.minds ?? (agent.exact ? 256 : 4_096) });
  const tape = new TokenTape();
  const between = (): void => {
    worlds.trim();
    minds.trim();
  };
  try {
    const root = await openRoot(worlds, minds, tape);
    const rounds = createRounds(between);
    const own = { env, agent, task, seed, signal, now, attempts, purse, prices, calls, worlds, minds };
    return { ...fixed(options), ...own, counts, root, tape, rounds, failures: [], guarded: false };
  } catch (error) {
    calls.close();
    worlds.close();
    minds.close();
    if (signal.aborted) throw cancelled(signal);
    throw new EngineError("search-failed", `Task "${task.id}" cannot be opened: ${errorData(error).message}`, {
      cause: error,
      details: { task: task.id, env: env.id },
    });
  }
}

/** What is only handed on. */
function fixed({
  alike,
  asker,
  value,
  search,
  seesOutcome = true,
  remember = {},
  onNode,
}: RunSearchOptions): Pick<Session, "alike" | "asker" | "value" | "seesOutcome" | "memory" | "onNode"> {
  return {
    alike: createAlike(alike),
    asker,
    value: value ?? search.value,
    seesOutcome,
    memory: {
      answers: remember.answers === true ? new Map() : undefined,
      replies: remember.replies === true ? new Map() : undefined,
    },
    onNode,
  };
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
  const root = new SearchNode({
    parent: undefined,
    order: 0,
    step: undefined,
    observation,
    stateKey,
    ending,
    reward,
    success,
    simulated: false,
    logprob: undefined,
    said: 0,
    piece: takePiece(live, undefined, tape),
  });
  worlds.put(root, world);
  minds.put(root, live);
  return root;
}

export function cancelled(signal: AbortSignal): EngineError {
  return new EngineError("cancelled", "The search was cancelled.", { cause: signal.reason });
}
