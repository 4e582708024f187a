/** A run of a game as an episode of the environment contract. */
import { scored, type Ending, type Score, type Task } from "../../trajectory/index.ts";
import type { Episode } from "../env.ts";
import { episodeOf } from "../episode-of.ts";
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
