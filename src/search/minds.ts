/** An agent's mind for every node: kept, or put there again from the exact recording of the line that led to it. */
import { EngineError } from "../base/index.ts";
import type { Agent, Mind } from "../rollout/index.ts";
import type { Task } from "../trajectory/index.ts";
import { Kept } from "./kept.ts";
import { lineTo, type SearchNode } from "./node.ts";
import { contextLength, joinLine, pieceAfter, type Piece } from "./pieces.ts";

/** A mind, and how much of what it recorded stands in pieces of the tree already. */
export interface LiveMind {
  readonly mind: Mind;
  /** Streams that are complete, and tokens of the one after them. */
  streams: number;
  length: number;
}

export class Minds {
  readonly #agent: Agent;
  readonly #task: Task;
  readonly #seed: string;
  readonly #kept: Kept<Mind>;

  constructor({ agent, task, seed, most }: MindsOptions) {
    this.#agent = agent;
    this.#task = task;
    this.#seed = seed;
    this.#kept = new Kept(most, (mind) => mind.close());
  }

  begin(): LiveMind {
    return { mind: this.#agent.begin(this.#task, this.#seed), streams: 0, length: 0 };
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
    return { mind: this.at(node).fork(label), streams: 0, length: 0 };
  }

  /** A copy that was shown the node's message anew, with text for this decision. */
  guided(node: SearchNode, guidance: string, label: string): LiveMind {
    const seed = `${this.#seed} ${node.path} ${label}`;
    return { mind: this.at(node).branch({ step: node.depth, guidance }, seed), streams: 0, length: 0 };
  }

  put(node: SearchNode, { mind }: LiveMind): void {
    this.#kept.put(node, mind);
  }

  trim(): void {
    this.#kept.trim();
  }

  close(): void {
    this.#kept.clear();
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
export function takePiece(live: LiveMind, parent: SearchNode | undefined): Piece | undefined {
  const streams = live.mind.streams();
  if (streams.length === 0) return undefined;
  const isNew = live.streams === 0 && live.length === 0;
  const shared = isNew || parent === undefined ? live.mind.sharedTokens : contextLength(parent);
  const piece: Piece = { shared, streams: pieceAfter(streams, live.streams, live.length) };
  live.streams = streams.length - 1;
  live.length = streams.at(-1)?.ids.length ?? 0;
  return piece;
}
