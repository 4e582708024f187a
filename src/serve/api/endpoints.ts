/** Every endpoint in one table: the server, its OpenAPI description and the pages' typed client are made from it. */
import type { z } from "zod";
import { arenaDetail, arenasAnswer } from "./arena.ts";
import { fleetAnswer } from "./fleet.ts";
import { groupAnswer, groupQuery, groupsAnswer, groupsQuery } from "./group.ts";
import { meta } from "./meta.ts";
import { actAnswer, actRequest, adviceAnswer, adviceQuery, game, gameQuery, openGame, playMenu } from "./play.ts";
import { compareAnswer, compareQuery, runDetail, runsAnswer, runsQuery } from "./runs.ts";
import { decisionRequest, skillDetail, skillQuery, skillsAnswer, skillsQuery } from "./skills.ts";
import {
  facetsAnswer,
  facetsQuery,
  sqlAnswer,
  sqlRequest,
  trajectoriesAnswer,
  trajectoriesQuery,
} from "./trajectories.ts";
import {
  entropyAnswer,
  stateAnswer,
  stateQuery,
  stepsAnswer,
  textAnswer,
  textQuery,
  trajectoryDetail,
  trajectoryQuery,
} from "./trajectory.ts";

export interface Endpoint {
  readonly method: "get" | "post";
  /** With `{run}` or `{arena}` in the place of an id, which is percent-encoded. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** Refused unless the server was started with `--write`. */
  readonly writes?: true;
}

export const endpoints = {
  meta: { method: "get", path: "/api/meta", summary: "Version, store and what is allowed.", answer: meta },
  runs: {
    method: "get",
    path: "/api/runs",
    summary: "Runs, newest first.",
    query: runsQuery,
    answer: runsAnswer,
  },
  run: { method: "get", path: "/api/runs/{run}", summary: "One run with its curves.", answer: runDetail },
  compare: {
    method: "get",
    path: "/api/compare",
    summary: "A set of runs against each other.",
    query: compareQuery,
    answer: compareAnswer,
  },
  trajectories: {
    method: "get",
    path: "/api/trajectories",
    summary: "A page of the table of trajectories.",
    query: trajectoriesQuery,
    answer: trajectoriesAnswer,
  },
  facets: {
    method: "get",
    path: "/api/facets",
    summary: "What trajectories can be filtered by.",
    query: facetsQuery,
    answer: facetsAnswer,
  },
  sql: {
    method: "post",
    path: "/api/sql",
    summary: "One read-only SQL query, with limits of time and rows.",
    body: sqlRequest,
    answer: sqlAnswer,
  },
  trajectory: {
    method: "get",
    path: "/api/runs/{run}/trajectory",
    summary: "One trajectory with a window of its steps.",
    query: trajectoryQuery,
    answer: trajectoryDetail,
  },
  steps: {
    method: "get",
    path: "/api/runs/{run}/steps",
    summary: "A window of the steps of a trajectory.",
    query: trajectoryQuery,
    answer: stepsAnswer,
  },
  entropy: {
    method: "get",
    path: "/api/runs/{run}/entropy",
    summary: "Entropies at the tokens of a window of steps, computed by the run's model.",
    query: trajectoryQuery,
    answer: entropyAnswer,
  },
  text: {
    method: "get",
    path: "/api/runs/{run}/text",
    summary: "A text that was cut, whole.",
    query: textQuery,
    answer: textAnswer,
  },
  state: {
    method: "get",
    path: "/api/runs/{run}/state",
    summary: "What was done from one state in a group.",
    query: stateQuery,
    answer: stateAnswer,
  },
  groups: {
    method: "get",
    path: "/api/runs/{run}/groups",
    summary: "Groups of a run, newest first.",
    query: groupsQuery,
    answer: groupsAnswer,
  },
  group: {
    method: "get",
    path: "/api/runs/{run}/group",
    summary: "A group as a forest.",
    query: groupQuery,
    answer: groupAnswer,
  },
  skills: {
    method: "get",
    path: "/api/skills",
    summary: "Skills of the library or of a run.",
    query: skillsQuery,
    answer: skillsAnswer,
  },
  skill: {
    method: "get",
    path: "/api/skill",
    summary: "One skill with its evidence and history.",
    query: skillQuery,
    answer: skillDetail,
  },
  decide: {
    method: "post",
    path: "/api/skill/decision",
    summary: "Promotes, demotes or quarantines a skill of the library.",
    body: decisionRequest,
    answer: skillDetail,
    writes: true,
  },
  arenas: { method: "get", path: "/api/arenas", summary: "Arenas, newest first.", answer: arenasAnswer },
  arena: { method: "get", path: "/api/arenas/{arena}", summary: "One arena.", answer: arenaDetail },
  fleet: { method: "get", path: "/api/fleet", summary: "Workers, queues, rates and errors.", answer: fleetAnswer },
  playMenu: { method: "get", path: "/api/play", summary: "Worlds and policies to play with.", answer: playMenu },
  openGame: {
    method: "post",
    path: "/api/play/open",
    summary: "Opens a world, fresh or at a step of a stored trajectory. Games live in memory.",
    body: openGame,
    answer: game,
  },
  game: {
    method: "get",
    path: "/api/play/game",
    summary: "A game with all its places.",
    query: gameQuery,
    answer: game,
  },
  act: {
    method: "post",
    path: "/api/play/act",
    summary: "Acts at a place of a game and makes a new place.",
    body: actRequest,
    answer: actAnswer,
  },
  advice: {
    method: "get",
    path: "/api/play/advice",
    summary: "The policy's probabilities at a place.",
    query: adviceQuery,
    answer: adviceAnswer,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

/** Streams of server-sent events; `live.ts` has their messages. */
export const streams = {
  runEvents: { path: "/api/runs/{run}/events", summary: "What a run commits, as it happens." },
  storeEvents: { path: "/api/events", summary: "Which runs change, as it happens." },
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** What a client gives and gets. */
export type Query<Name extends EndpointName> = Endpoints[Name] extends { readonly query: infer Schema }
  ? InputOf<Schema>
  : undefined;
export type Body<Name extends EndpointName> = Endpoints[Name] extends { readonly body: infer Schema }
  ? InputOf<Schema>
  : undefined;
export type Answer<Name extends EndpointName> = z.infer<Endpoints[Name]["answer"]>;
