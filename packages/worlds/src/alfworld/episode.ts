/** A run of a game as an episode of the environment contract. */
import type { Ending, Score, Task } from "limbeck-base/trajectory/trajectory";
import { scored } from "limbeck-base/trajectory/score";
import type { Episode } from "limbeck-core/env/env";
import { episodeOf } from "limbeck-core/env/episode-of";
import { ALWAYS, type Block, isOpen } from "./blocks.ts";
import { scopeOf } from "./command.ts";
import type { Alternative, Literal } from "./condition.ts";
import type { Action, Effect } from "./domain.ts";
import { factNumber, type Fluent, holds } from "./facts.ts";
import type { Game } from "./game.ts";
import { renderText } from "./text.ts";

export interface GameEpisodeOptions {
  /** Steps after which the episode is cut; refused commands count. */
  readonly maxSteps: number;
  /** Reward of the step that wins. */
  readonly winReward: number;
  /** Commands left out of the list; they are still carried out when given. */
  readonly hiddenCommands: readonly string[];
}

interface Progress {
  readonly state: GameState;
  readonly steps: number;
  readonly observation: string;
}

export function openGameEpisode(task: Task, game: Game, options: GameEpisodeOptions): Episode {
  const { maxSteps, winReward, hiddenCommands } = options;
  const state = openGame(game);
  const ending = ({ state: { won }, steps }: Progress): Ending | undefined => {
    if (steps > 0 && won) return "terminated";
    return steps >= maxSteps ? "truncated" : undefined;
  };
  const reward = (progress: Progress): Score => scored(ending(progress) === "terminated" ? winReward : 0);
  return episodeOf<Progress>(
    task,
    { state, steps: 0, observation: state.opening() },
    {
      observation: ({ observation }) => observation,
      stateKey: ({ state: { key } }) => key,
      ending,
      reward,
      success: (progress) => (ending(progress) === undefined ? null : progress.state.won),
      admissible: (progress) => {
        if (ending(progress) !== undefined) return [];
        const commands = progress.state.commands();
        return hiddenCommands.length === 0 ? commands : commands.filter((command) => !hiddenCommands.includes(command));
      },
      step: (before, action) => {
        const { text, valid } = before.state.act(action);
        const after = { ...before, steps: before.steps + 1, observation: text };
        return { state: after, valid, reward: reward(after) };
      },
      fork: async (progress) => ({ ...progress, state: progress.state.fork() }),
    },
  );
}

/*
 * One run of a game: the facts that hold now, what can be done, and what is seen.
 *
 * Facts are bits. The list of commands is worked out when first asked for and from then on brought up to date from the
 * facts that changed: only actions that ask for one of them are looked at again. A fork copies the bits (about one
 * kilobyte) and shares everything else until one of the two changes it.
 */

/** The original's reply to whatever is not in the list. */
export const NOTHING_HAPPENS = "Nothing happens.";

interface Reply {
  readonly text: string;
  readonly valid: boolean;
}

/** The open actions of one block. Shared by forks until written to. */
interface View {
  readonly block: Block;
  readonly open: Uint8Array;
  shared: boolean;
}

/** More changes than this without a look at the list, and it is cheaper to work it out anew. */
const MAX_PENDING = 64;

export class GameState {
  readonly #game: Game;
  #bits: Uint32Array;
  #won: boolean;
  #hashLow: number;
  #hashHigh: number;
  /** The anchors that hold; a new array at every change, so that forks can share it. */
  #anchors: readonly number[];
  #views: Map<number, View> | undefined;
  #pending: number[] = [];
  #commands: readonly string[] | undefined;

  constructor(game: Game, from?: GameState) {
    this.#game = game;
    if (from === undefined) {
      this.#bits = game.start.slice();
      this.#won = game.goal.isMet(this.#bits);
      this.#hashLow = 0;
      this.#hashHigh = 0;
      this.#anchors = [ALWAYS, ...anchorsOf(game)];
      return;
    }
    this.#bits = from.#bits.slice();
    this.#won = from.#won;
    this.#hashLow = from.#hashLow;
    this.#hashHigh = from.#hashHigh;
    this.#anchors = from.#anchors;
    this.#commands = from.#commands;
    this.#pending = from.#pending.slice();
    if (from.#views !== undefined) {
      for (const view of from.#views.values()) view.shared = true;
      this.#views = new Map(from.#views);
    }
  }

  /** What a player reads before the first command. */
  opening(): string {
    return renderText([{ kind: "rule", rule: "intro" }], this.#game, this.#bits);
  }

  get won(): boolean {
    return this.#won;
  }

  /** Equal for equal facts, whatever led to them. */
  get key(): string {
    return hex(this.#hashHigh) + hex(this.#hashLow);
  }

  fork(): GameState {
    return new GameState(this.#game, this);
  }

  /** Every command that is possible now, sorted and without repetition. */
  commands(): readonly string[] {
    this.#commands ??= mergeOpen(this.#currentViews());
    return this.#commands;
  }

  /** Carries out a command, or changes nothing when it is not possible now. */
  act(command: string): Reply {
    const wanted = command.trim();
    for (const anchor of this.#anchors) {
      const block = this.#game.blocks.get(anchor);
      for (let index = lowest(block.commands, wanted); block.commands[index] === wanted; index += 1) {
        if (isOpen(block, index, this.#bits)) return this.#carryOut(block, index);
      }
    }
    return { text: NOTHING_HAPPENS, valid: false };
  }

  #carryOut(block: Block, index: number): Reply {
    const action = block.actions[index] as Action;
    const values = block.values.subarray(block.valueStarts[index], block.valueStarts[index + 1]);
    const changed = this.#change(action, values);
    if (changed.length > 0) this.#follow(changed);
    const reply = this.#game.grammar.actions.get(action.name)?.reply ?? [];
    return { text: renderText(reply, this.#game, this.#bits, scopeOf(action, values)), valid: true };
  }

  /** Applies the effects and tells which facts are now different. Conditions are read before anything changes. */
  #change(action: Action, values: Int32Array): readonly number[] {
    const added = new Set<number>();
    const removed = new Set<number>();
    for (const effect of action.effects) {
      const fluent = this.#game.space.fluents.get(effect.literal.predicate);
      if (fluent !== undefined) this.#collect(effect, fluent, values, added, removed);
    }
    const changed: number[] = [];
    // What is both removed and added stays: in PDDL addition wins.
    for (const fact of removed) if (!added.has(fact) && holds(this.#bits, fact)) changed.push(fact);
    for (const fact of added) if (!holds(this.#bits, fact)) changed.push(fact);
    for (const fact of changed) {
      const word = fact >>> 5;
      this.#bits[word] = (this.#bits[word] as number) ^ (1 << (fact & 31));
      this.#hashLow ^= scramble(fact, 0x9e3779b9);
      this.#hashHigh ^= scramble(fact, 0x7f4a7c15);
    }
    return changed;
  }

  #collect(effect: Effect, fluent: Fluent, values: Int32Array, added: Set<number>, removed: Set<number>): void {
    const { variables } = effect;
    if (variables.length === values.length) return this.#addTo(effect, fluent, values, added, removed);
    const binding = [...values];
    const fill = (slot: number): void => {
      if (slot === variables.length) return this.#addTo(effect, fluent, binding, added, removed);
      for (const entity of this.#game.entities.members(variables[slot]?.type ?? "").list) {
        binding[slot] = entity;
        fill(slot + 1);
      }
    };
    fill(values.length);
  }

  #addTo(
    { literal, when }: Effect,
    fluent: Fluent,
    binding: ArrayLike<number>,
    added: Set<number>,
    removed: Set<number>,
  ): void {
    if (when !== undefined && !when.some((alternative) => this.#isTrue(alternative, binding))) return;
    const values = this.#values(literal, binding);
    const fact = factNumber(fluent, values);
    if (fact < 0) return;
    (literal.positive ? added : removed).add(fact);
    if (fluent.denied === undefined) return;
    (literal.positive ? removed : added).add(factNumber(fluent.denied, values));
  }

  /** Truth of a condition of `when`, with every further variable tried. */
  #isTrue(alternative: Alternative, given: ArrayLike<number>): boolean {
    const binding = Array.from(given);
    const fill = (slot: number): boolean => {
      if (slot < alternative.variables.length) {
        for (const entity of this.#game.entities.members(alternative.variables[slot]?.type ?? "").list) {
          binding[slot] = entity;
          if (fill(slot + 1)) return true;
        }
        return false;
      }
      return alternative.literals.every((literal) => this.#holds(literal, binding) === literal.positive);
    };
    return fill(binding.length);
  }

  #holds(literal: Literal, binding: ArrayLike<number>): boolean {
    const values = this.#values(literal, binding);
    if (literal.predicate === "=") return values[0] === values[1];
    const fluent = this.#game.space.fluents.get(literal.predicate);
    if (fluent !== undefined) return holds(this.#bits, factNumber(fluent, values));
    return this.#game.relations.get(literal.predicate)?.has(values) ?? false;
  }

  #values({ terms }: Literal, binding: ArrayLike<number>): number[] {
    return terms.map((term) =>
      "slot" in term ? (binding[term.slot] as number) : this.#game.entities.find(term.constant),
    );
  }

  /** Brings goal, anchors and the list's to-do up to date with what changed. */
  #follow(changed: readonly number[]): void {
    const { goal } = this.#game;
    this.#won = this.#won ? goal.isMet(this.#bits) : goal.isMetAfter(this.#bits, changed);
    this.#commands = undefined;
    const moved = changed.filter((fact) => this.#game.blocks.isAnchor(fact));
    if (moved.length > 0) {
      const kept = this.#anchors.filter((anchor) => !moved.includes(anchor));
      this.#anchors = [...kept, ...moved.filter((fact) => holds(this.#bits, fact))];
    }
    if (this.#views === undefined) return;
    this.#pending = [...this.#pending, ...changed];
    if (this.#pending.length > MAX_PENDING) [this.#views, this.#pending] = [undefined, []];
  }

  #currentViews(): readonly View[] {
    const old = this.#views ?? new Map<number, View>();
    const views = new Map<number, View>();
    for (const anchor of this.#anchors) {
      const view = old.get(anchor);
      views.set(anchor, view === undefined ? this.#newView(anchor) : this.#updated(view));
    }
    this.#views = views;
    this.#pending = [];
    return [...views.values()];
  }

  #newView(anchor: number): View {
    const block = this.#game.blocks.get(anchor);
    const open = new Uint8Array(block.commands.length);
    for (let index = 0; index < open.length; index += 1) open[index] = isOpen(block, index, this.#bits) ? 1 : 0;
    return { block, open, shared: false };
  }

  #updated(view: View): View {
    let current = view;
    for (const fact of this.#pending) {
      for (const index of view.block.watchers(fact)) {
        const open = isOpen(view.block, index, this.#bits) ? 1 : 0;
        if (current.open[index] === open) continue;
        if (current.shared) current = { block: view.block, open: current.open.slice(), shared: false };
        current.open[index] = open;
      }
    }
    return current;
  }
}

function anchorsOf(game: Game): number[] {
  const anchors: number[] = [];
  for (const [word, bits] of game.start.entries()) {
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const fact = word * 32 + (31 - Math.clz32(rest & -rest));
      if (game.blocks.isAnchor(fact)) anchors.push(fact);
    }
  }
  return anchors;
}

/** Blocks are sorted, so one pass merges them. */
function mergeOpen(views: readonly View[]): readonly string[] {
  const places = views.map(() => 0);
  const commands: string[] = [];
  for (;;) {
    let next: string | undefined;
    for (const [number, { block, open }] of views.entries()) {
      let place = places[number] as number;
      while (place < open.length && open[place] === 0) place += 1;
      places[number] = place;
      const command = block.commands[place];
      if (command !== undefined && (next === undefined || command < next)) next = command;
    }
    if (next === undefined) return commands;
    commands.push(next);
    for (const [number, { block }] of views.entries()) {
      while (block.commands[places[number] as number] === next) places[number] = (places[number] as number) + 1;
    }
  }
}

/** The first position whose command is not below the wanted one. */
function lowest(commands: readonly string[], wanted: string): number {
  let [low, high] = [0, commands.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((commands[middle] as string) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Every fact has its own pattern of 64 bits; a key is their sum without carry, so order does not matter. */
function scramble(fact: number, salt: number): number {
  let mixed = Math.imul(fact + 1, salt | 1) ^ salt;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}

export function openGame(game: Game): GameState {
  return new GameState(game);
}
