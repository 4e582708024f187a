/** A run of a game as an episode of the environment contract. */
import { scored, type Ending, type Task } from "../../trajectory/index.ts";
import { throwIfAborted } from "../../base/index.ts";
import type { Episode, StepResult } from "../env.ts";
import { episodeClosed, episodeEnded } from "../episode-error.ts";
import type { Game } from "./game.ts";
import { openGame, type GameState } from "./state.ts";

export interface GameEpisodeOptions {
  /** Steps after which the episode is cut; refused commands count. */
  readonly maxSteps: number;
  /** Reward of the step that wins. */
  readonly winReward: number;
  /** Commands left out of the list; they are still carried out when given. */
  readonly hiddenCommands: readonly string[];
}

export function openGameEpisode(task: Task, game: Game, options: GameEpisodeOptions): Episode {
  const state = openGame(game);
  return new GameEpisode(task, options, state, { steps: 0, observation: state.opening() });
}

interface Progress {
  readonly steps: number;
  readonly observation: string;
}

class GameEpisode implements Episode {
  readonly task: Task;
  readonly #options: GameEpisodeOptions;
  readonly #state: GameState;
  #progress: Progress;
  #closed = false;

  constructor(task: Task, options: GameEpisodeOptions, state: GameState, progress: Progress) {
    this.task = task;
    this.#options = options;
    this.#state = state;
    this.#progress = progress;
  }

  get observation(): string {
    return this.#progress.observation;
  }

  get stateKey(): string {
    return this.#state.key;
  }

  get ending(): Ending | undefined {
    if (this.#progress.steps > 0 && this.#state.won) return "terminated";
    return this.#progress.steps >= this.#options.maxSteps ? "truncated" : undefined;
  }

  get success(): boolean | null {
    return this.ending === undefined ? null : this.#state.won;
  }

  get reward() {
    return scored(this.ending === "terminated" ? this.#options.winReward : 0);
  }

  admissible(): readonly string[] {
    if (this.ending !== undefined) return [];
    const { hiddenCommands } = this.#options;
    const commands = this.#state.commands();
    return hiddenCommands.length === 0 ? commands : commands.filter((command) => !hiddenCommands.includes(command));
  }

  async step(action: string, options: { readonly signal?: AbortSignal } = {}): Promise<StepResult> {
    throwIfAborted(options.signal);
    if (this.#closed) throw episodeClosed(this.task);
    const before = this.ending;
    if (before !== undefined) throw episodeEnded(this.task, before);
    const { text, valid } = this.#state.act(action);
    this.#progress = { steps: this.#progress.steps + 1, observation: text };
    const { ending, success } = this;
    const reward = scored(ending === "terminated" ? this.#options.winReward : 0);
    return { observation: text, reward, valid, ending, success };
  }

  fork(): Promise<Episode> {
    return Promise.resolve(new GameEpisode(this.task, this.#options, this.#state.fork(), this.#progress));
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}
