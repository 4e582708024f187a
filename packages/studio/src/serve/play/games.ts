/** Games in memory. To act at a place forks the world there, so that every place stays as it was. */
import { randomBytes } from "node:crypto";
import { createRng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { getWorld } from "limbeck-worlds/index";
import type { Env, Episode, StepResult } from "limbeck-core/env/env";
import { advice } from "limbeck-core/env/expert";
import { demonstratorsOf } from "limbeck-core/env/world";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { PlayGame, PlayHint, PlayPlace } from "../api/play.ts";
import { valueOf } from "../trajectories/detail.ts";
import { longText } from "../trajectories/long-text.ts";

/** Observations and actions on the way to a place. */
export interface Moment {
  readonly observation: string;
  /** What was done there; undefined at the place itself. */
  readonly action: string | undefined;
}

export interface Games {
  open(request: OpenRequest): Promise<PlayGame>;
  read(id: string): PlayGame;
  act(id: string, place: number, action: string): Promise<PlayPlace>;
  /** The way to a place, and what is accepted there. */
  way(
    id: string,
    place: number,
  ): {
    readonly moments: readonly Moment[];
    readonly admissible: readonly string[] | undefined;
    readonly policy: string | undefined;
  };
  /** What the expert of the world would do at a place, knowing what was seen on the way. */
  hint(id: string, place: number): Promise<PlayHint>;
  close(): Promise<void>;
}

export interface OpenRequest {
  readonly env: Env;
  readonly task: Task;
  readonly policy: string | undefined;
  /** Carried out first, one place each. */
  readonly actions: readonly string[];
  readonly signal: AbortSignal;
}

const GAMES = 12;
const PLACES = 2_000;

interface GamePlace {
  readonly shown: PlayPlace;
  readonly episode: Episode;
}

interface Game {
  readonly id: string;
  readonly task: Task;
  readonly env: Env;
  readonly policy: string | undefined;
  readonly places: GamePlace[];
  current: number;
}

export function createGames(): Games {
  const games = new Map<string, Game>();
  const find = (id: string): Game => {
    const game = games.get(id);
    if (game !== undefined) return game;
    throw new EngineError(
      "no-game",
      "This game is no longer in memory: the server was restarted, or many came after it. Open it again.",
    );
  };
  return {
    open: async ({ env, task, policy, actions, signal }) => {
      const episode = await env.open(task, { signal });
      const game: Game = {
        id: randomBytes(9).toString("base64url"),
        task,
        env,
        policy,
        places: [],
        current: 0,
      };
      game.places.push({ shown: placeAt(0, undefined, undefined, episode, undefined), episode });
      games.set(game.id, game);
      for (const [id, old] of [...games].slice(0, -GAMES)) {
        games.delete(id);
        await closeGame(old);
      }
      for (const action of actions) game.current = (await act(game, game.current, action)).id;
      return shownGame(game);
    },
    read: (id) => shownGame(find(id)),
    act: async (id, place, action) => {
      const game = find(id);
      const next = await act(game, place, action);
      game.current = next.id;
      return next;
    },
    hint: async (id, at) => {
      const game = find(id);
      const { task, env } = game;
      const demonstrators = demonstratorsOf(await getWorld(env.id), env);
      const expert = demonstrators["expert"] ?? Object.values(demonstrators)[0];
      if (expert === undefined || placeOf(game, at).episode.ending !== undefined) return { expert: null, action: null };
      const past = lineTo(game, at).map(({ id: place, action }) => {
        const { episode } = placeOf(game, place);
        return { action: action ?? undefined, observation: episode.observation, admissible: episode.admissible() };
      });
      return { expert: expert.id, action: (await advice(expert, task, past, createRng(task.seed))) ?? null };
    },
    way: (id, at) => {
      const game = find(id);
      const line = lineTo(game, at);
      const moments = line.map((place, index) => ({
        observation: placeOf(game, place.id).episode.observation,
        action: line[index + 1]?.action ?? undefined,
      }));
      return { moments, admissible: placeOf(game, at).episode.admissible(), policy: game.policy };
    },
    close: async () => {
      for (const game of games.values()) await closeGame(game);
      games.clear();
    },
  };
}

function placeOf(game: Game, at: number): GamePlace {
  const place = game.places[at];
  if (place !== undefined) return place;
  throw new EngineError("no-game", `The game has no place ${at}; it has ${game.places.length}.`);
}

/** The places from the beginning to this one. */
function lineTo(game: Game, at: number): PlayPlace[] {
  const line: PlayPlace[] = [];
  for (let next: number | null = at; next !== null;) {
    const { shown }: GamePlace = placeOf(game, next);
    line.unshift(shown);
    next = shown.parent;
  }
  return line;
}

async function act(game: Game, at: number, action: string): Promise<PlayPlace> {
  const { episode, shown } = placeOf(game, at);
  if (episode.ending !== undefined) {
    throw new EngineError("episode-ended", `The episode has ended here (${episode.ending}). Act at an earlier place.`);
  }
  if (game.places.length >= PLACES)
    throw new EngineError("too-many", `A game has at most ${PLACES} places; open a new one.`);
  const fork = await episode.fork();
  const result = await fork.step(action);
  const place = placeAt(game.places.length, shown, action, fork, result);
  game.places.push({ shown: place, episode: fork });
  return place;
}

async function closeGame({ places }: Game): Promise<void> {
  for (const { episode } of places) await episode.close();
}

function shownGame({ id, env, task, policy, places, current }: Game): PlayGame {
  return {
    id,
    env: env.id,
    task: task.id,
    goal: task.goal,
    policy: policy ?? null,
    places: places.map(({ shown }) => shown),
    current,
  };
}

function placeAt(
  id: number,
  parent: PlayPlace | undefined,
  action: string | undefined,
  episode: Episode,
  result: StepResult | undefined,
): PlayPlace {
  return {
    id,
    parent: parent?.id ?? null,
    depth: parent === undefined ? 0 : parent.depth + 1,
    action: action ?? null,
    valid: result?.valid ?? true,
    observation: longText(episode.observation),
    reward: result === undefined ? null : valueOf(result.reward),
    total: valueOf(episode.reward),
    ending: episode.ending ?? null,
    success: episode.success,
    admissible: episode.ending === undefined ? listed(episode.admissible()) : [],
  };
}

function listed(actions: readonly string[] | undefined): string[] | null {
  return actions === undefined ? null : [...actions];
}
