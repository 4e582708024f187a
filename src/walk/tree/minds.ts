/** An agent's mind for every node: kept, or put there again from the exact recording of the line that led to it. */
import { EngineError } from "../../base/index.ts";
import type { Agent, Mind } from "../mind/agent.ts";
import type { Task } from "../../trajectory/index.ts";
import { Kept } from "./kept.ts";
import { lineTo, type SearchNode } from "./node.ts";
import type { TokenTape } from "./token-tape.ts";
import type { Piece } from "./piece.ts";
import { contextLength, joinLine } from "./pieces.ts";

/** A mind, and how much of what it recorded stands in pieces of the tree already. */
export interface LiveMind {
  readonly mind: Mind;
  /** Streams that are complete, and tokens of the one after them. */
  streams: number;
  length: number;
  /** Lets the mind go; may be called any number of times. */
  close(): void;
}

export class Minds {
  readonly #agent: Agent;
  readonly #task: Task;
  readonly #seed: string;
  readonly #kept: Kept<Mind>;
  readonly #lent = new Set<LiveMind>();

  constructor({ agent, task, seed, most }: MindsOptions) {
    this.#agent = agent;
    this.#task = task;
    this.#seed = seed;
    this.#kept = new Kept(most, (mind) => mind.close());
  }

  begin(): LiveMind {
    return this.#lend(this.#agent.begin(this.#task, this.#seed));
  }

  /** The mind at a node, to be forked; it has read the node's observation. */
  at(node: SearchNode): Mind {
    const kept = this.#kept.get(node);
    if (kept !== undefined) return kept;
    const mind = this.#again(node);
    this.#kept.put(node, mind);
    return mind;
  }

  /** A copy that draws by its own label. */
  fork(node: SearchNode, label: string): LiveMind {
    return this.#lend(this.at(node).fork(label));
  }

  /** A copy that was shown the node's message anew, with text for this decision. */
  guided(node: SearchNode, guidance: string, label: string): LiveMind {
    const seed = `${this.#seed} ${node.path} ${label}`;
    return this.#lend(this.at(node).branch({ step: node.depth, guidance }, seed));
  }

  put(node: SearchNode, live: LiveMind): void {
    this.#lent.delete(live);
    this.#kept.put(node, live.mind);
  }

  /** Keeps a copy of a mind that goes on without the node. */
  keepCopy(node: SearchNode, { mind }: LiveMind): void {
    this.#kept.put(node, mind.fork("kept"));
  }

  trim(): void {
    this.#kept.trim();
  }

  /** Also what was lent and never came back: a search that is cancelled lets go of nothing itself. */
  close(): void {
    this.#kept.close();
    for (const live of this.#lent) live.close();
  }

  #lend(mind: Mind): LiveMind {
    const lent = this.#lent;
    const live: LiveMind = {
      mind,
      streams: 0,
      length: 0,
      close: () => {
        if (lent.delete(live)) mind.close();
      },
    };
    lent.add(live);
    return live;
  }

  #again(node: SearchNode): Mind {
    const { steps, streams } = joinLine(lineTo(node));
    const seed = `${this.#seed} ${node.path}`;
    if (this.#agent.resume !== undefined) {
      return this.#agent.resume(this.#task, seed, { steps, streams, closing: { observation: node.observation } });
    }
    if (this.#agent.exact) {
      throw new EngineError(
        "cannot-resume",
        `Policy "${this.#agent.ref.name}" cannot go back to an earlier point; raise how many minds are kept.`,
      );
    }
    const mind = this.#agent.begin(this.#task, seed);
    let action: string | undefined;
    for (const { index, observation, action: taken } of steps) {
      mind.read({ step: index, observation, action, admissible: () => undefined });
      mind.impose(taken);
      mind.decide();
      action = taken;
    }
    mind.read({ step: node.depth, observation: node.observation, action, admissible: () => undefined });
    return mind;
  }
}

export interface MindsOptions {
  readonly agent: Agent;
  readonly task: Task;
  readonly seed: string;
  /** Minds kept at a time. */
  readonly most: number;
}

/** What a mind has recorded since the last piece. `parent`: the node it stood at then. */
export function takePiece(live: LiveMind, parent: SearchNode | undefined, tape: TokenTape): Piece | undefined {
  const streams = live.mind.streams({ stream: live.streams, length: live.length });
  if (streams.length === 0) return undefined;
  const isNew = live.streams === 0 && live.length === 0;
  const shared = isNew || parent === undefined ? live.mind.sharedTokens : contextLength(parent);
  const lengths = streams.map(({ ids }) => ids.length);
  const last = lengths[lengths.length - 1] ?? 0;
  live.length = streams.length === 1 ? live.length + last : last;
  live.streams += streams.length - 1;
  return tape.keep({ shared, streams, lengths });
}
