/** The newest sessions, whole, in bounded memory: what skills are learnt from while sessions are followed. */
import { continues, joinPieces, rootId } from "../stored.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export interface WindowLimits {
  readonly sessions: number;
  /** Letters of what the agents saw and did, of all sessions together. */
  readonly letters: number;
}

const LIMITS: WindowLimits = { sessions: 500, letters: 64_000_000 };

interface Held {
  readonly trajectory: Trajectory;
  readonly run: string;
  readonly letters: number;
}

export class SessionWindow {
  readonly #limits: WindowLimits;
  /** Oldest first. */
  readonly #held = new Map<string, Held>();
  #letters = 0;
  #left = 0;

  constructor(limits: WindowLimits = LIMITS) {
    this.#limits = limits;
  }

  /** A session, or what came to one. A later piece of a session that is no longer here is left out. */
  add(piece: Trajectory, run: string): void {
    const root = rootId(piece);
    const before = this.#held.get(root);
    const goesOn = before !== undefined && continues(before.trajectory, piece);
    if (root !== piece.id && !goesOn) return;
    this.#drop(root);
    const bare = { ...piece, streams: [] };
    const letters = lettersOf(piece) + (goesOn ? before.letters : 0);
    const trajectory = goesOn ? joinPieces(before.trajectory, bare) : bare;
    if (letters > this.#limits.letters) {
      this.#left += 1;
      return;
    }
    this.#held.set(root, { trajectory, run: before?.run ?? run, letters });
    this.#letters += letters;
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= this.#limits.sessions && this.#letters <= this.#limits.letters) break;
      this.#drop(oldest);
      this.#left += 1;
    }
  }

  get trajectories(): Trajectory[] {
    return [...this.#held.values()].map(({ trajectory }) => trajectory);
  }

  /** Sessions that did not fit. */
  get left(): number {
    return this.#left;
  }

  runOf(id: string): string | undefined {
    return this.#held.get(id)?.run;
  }

  #drop(id: string): void {
    this.#letters -= this.#held.get(id)?.letters ?? 0;
    this.#held.delete(id);
  }
}

function lettersOf({ steps }: Trajectory): number {
  let letters = 0;
  for (const { observation, action, messages = [], reply } of steps) {
    letters += observation.length + action.length;
    for (const { content } of reply === undefined ? messages : [...messages, reply]) {
      if (typeof content === "string") letters += content.length;
      else for (const { text } of content) letters += typeof text === "string" ? text.length : 0;
    }
  }
  return letters;
}
