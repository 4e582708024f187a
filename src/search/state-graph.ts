/** States that several lines share: one count for all of them, and the best way on that any of them found. */
import { leaving, lineTo, nodesBelow, outcomeOfNode, type SearchNode } from "../walk/tree/node.ts";

export interface WayOn {
  readonly value: number;
  /** From the state to the end. */
  readonly actions: readonly string[];
}

interface State {
  visits: number;
  total: number;
  best: WayOn | undefined;
}

export class StateGraph {
  readonly #states = new Map<string, State>();

  /** States that were met. */
  get size(): number {
    return this.#states.size;
  }

  visits({ stateKey }: SearchNode): number {
    return this.#states.get(stateKey)?.visits ?? 0;
  }

  mean(node: SearchNode): number {
    const state = this.#states.get(node.stateKey);
    return state === undefined || state.visits === 0 ? (node.estimate ?? 0) : state.total / state.visits;
  }

  /** The best known way to an end from a state; undefined where none brought anything. */
  wayOn({ stateKey }: SearchNode): WayOn | undefined {
    return this.#states.get(stateKey)?.best;
  }

  /** Counts a value for every state of the line, each once however often the line came through it. */
  backUp(node: SearchNode, value: number): void {
    const line = lineTo(node);
    for (const above of line) {
      above.visits += 1;
      above.total += value;
    }
    for (const key of new Set(line.map(({ stateKey }) => stateKey))) {
      const state = this.#of(key);
      state.visits += 1;
      state.total += value;
    }
    this.#learn(node);
    for (const simulation of node.simulations) {
      for (const below of nodesBelow(simulation)) if (leaving(below).length === 0) this.#learn(below);
    }
  }

  /** Ways on from every state of a line that has ended well. */
  #learn(end: SearchNode): void {
    const value = outcomeOfNode(end) ?? 0;
    if (value <= 0) return;
    const line = lineTo(end);
    const actions = line.slice(1).map(({ action = "" }) => action);
    for (const [at, { stateKey }] of line.slice(0, -1).entries()) {
      const state = this.#of(stateKey);
      const length = actions.length - at;
      const isBetter =
        state.best === undefined ||
        value > state.best.value ||
        (value === state.best.value && length < state.best.actions.length);
      if (isBetter) state.best = { value, actions: actions.slice(at) };
    }
  }

  #of(key: string): State {
    const known = this.#states.get(key) ?? { visits: 0, total: 0, best: undefined };
    this.#states.set(key, known);
    return known;
  }
}
