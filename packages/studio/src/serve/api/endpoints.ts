/** Every endpoint in one table: the server, its OpenAPI description and the pages' typed client are made from it. */
import type { z } from "zod";
import { arenaDetail, arenasAnswer } from "./arena.ts";
import { fleetAnswer } from "./fleet.ts";
import { groupAnswer, groupQuery, groupsAnswer, groupsQuery } from "./group.ts";
import { labelChange, labels } from "./labels.ts";
import { meta } from "./meta.ts";
import {
  actAnswer,
  actRequest,
  adviceAnswer,
  adviceQuery,
  game,
  gameQuery,
  hintAnswer,
  openGame,
  playMenu,
} from "./play.ts";
import { compareAnswer, compareQuery, runDetail, runsAnswer, runsQuery } from "./runs.ts";
import { decisionRequest, skillDetail, skillQuery, skillsAnswer, skillsQuery } from "./skills.ts";
import { stopRequest, trainingItem, trainingOrder, trainingsAnswer } from "./trainings.ts";
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
  findAnswer,
  findQuery,
  judgeAnswer,
  judgeRequest,
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
  /** Refused unless the server was started with `--write`, or with `--train`; and to tokens whose role does not reach so far. */
  readonly needs?: "write" | "train";
}

type Schemas = Omit<Endpoint, "method" | "path" | "summary">;

function get<const Given extends Schemas>(path: string, summary: string, schemas: Given) {
  return { method: "get", path, summary, ...schemas } as const;
}

function post<const Given extends Schemas>(path: string, summary: string, schemas: Given) {
  return { method: "post", path, summary, ...schemas } as const;
}

export const endpoints = {
  meta: get("/api/meta", "Version, store and what is allowed.", { answer: meta }),
  runs: get("/api/runs", "Runs, newest first.", { query: runsQuery, answer: runsAnswer }),
  run: get("/api/runs/{run}", "One run with its curves.", { answer: runDetail }),
  compare: get("/api/compare", "A set of runs against each other.", { query: compareQuery, answer: compareAnswer }),
  label: post("/api/runs/{run}/labels", "Tags, notes, pins or archives a run.", {
    body: labelChange,
    answer: labels,
    needs: "write",
  }),
  trainings: get("/api/trainings", "Trainings that were started from the page, and what can be started.", {
    answer: trainingsAnswer,
  }),
  startTraining: post("/api/trainings/start", "Starts a training in a process of its own.", {
    body: trainingOrder,
    answer: trainingItem,
    needs: "train",
  }),
  stopTraining: post("/api/trainings/stop", "Stops a training of the page; what is committed is kept.", {
    body: stopRequest,
    answer: trainingItem,
    needs: "train",
  }),
  trajectories: get("/api/trajectories", "A page of the table of trajectories.", {
    query: trajectoriesQuery,
    answer: trajectoriesAnswer,
  }),
  facets: get("/api/facets", "What trajectories can be filtered by.", { query: facetsQuery, answer: facetsAnswer }),
  sql: post("/api/sql", "One read-only SQL query, with limits of time and rows.", {
    body: sqlRequest,
    answer: sqlAnswer,
  }),
  trajectory: get("/api/runs/{run}/trajectory", "One trajectory with a window of its steps.", {
    query: trajectoryQuery,
    answer: trajectoryDetail,
  }),
  steps: get("/api/runs/{run}/steps", "A window of the steps of a trajectory.", {
    query: trajectoryQuery,
    answer: stepsAnswer,
  }),
  entropy: get(
    "/api/runs/{run}/entropy",
    "Entropies at the tokens of a window of steps, computed by the run's model.",
    { query: trajectoryQuery, answer: entropyAnswer },
  ),
  text: get("/api/runs/{run}/text", "A text that was cut, whole.", { query: textQuery, answer: textAnswer }),
  state: get("/api/runs/{run}/state", "What was done from one state in a group.", {
    query: stateQuery,
    answer: stateAnswer,
  }),
  find: get("/api/runs/{run}/find", "Steps of a trajectory in which a text stands.", {
    query: findQuery,
    answer: findAnswer,
  }),
  judge: post("/api/runs/{run}/judge", "Adds a person's verdict, comment or rewards to a trajectory.", {
    body: judgeRequest,
    answer: judgeAnswer,
    needs: "write",
  }),
  groups: get("/api/runs/{run}/groups", "Groups of a run, newest first.", { query: groupsQuery, answer: groupsAnswer }),
  group: get("/api/runs/{run}/group", "A group as a forest.", { query: groupQuery, answer: groupAnswer }),
  skills: get("/api/skills", "Skills of the library or of a run.", { query: skillsQuery, answer: skillsAnswer }),
  skill: get("/api/skill", "One skill with its evidence and history.", { query: skillQuery, answer: skillDetail }),
  decide: post("/api/skill/decision", "Promotes, demotes or quarantines a skill of the library.", {
    body: decisionRequest,
    answer: skillDetail,
    needs: "write",
  }),
  arenas: get("/api/arenas", "Arenas, newest first.", { answer: arenasAnswer }),
  arena: get("/api/arenas/{arena}", "One arena.", { answer: arenaDetail }),
  fleet: get("/api/fleet", "Workers, queues, rates and errors.", { answer: fleetAnswer }),
  playMenu: get("/api/play", "Worlds and policies to play with.", { answer: playMenu }),
  openGame: post("/api/play/open", "Opens a world, fresh or at a step of a stored trajectory. Games live in memory.", {
    body: openGame,
    answer: game,
  }),
  game: get("/api/play/game", "A game with all its places.", { query: gameQuery, answer: game }),
  act: post("/api/play/act", "Acts at a place of a game and makes a new place.", {
    body: actRequest,
    answer: actAnswer,
  }),
  advice: get("/api/play/advice", "The policy's probabilities at a place.", {
    query: adviceQuery,
    answer: adviceAnswer,
  }),
  hint: get("/api/play/hint", "What the world's expert would do at a place.", {
    query: adviceQuery,
    answer: hintAnswer,
  }),
} satisfies Readonly<Record<string, Endpoint>>;

/** Streams of server-sent events; `live.ts` has their messages. */
export const streams = {
  runEvents: { path: "/api/runs/{run}/events", summary: "What a run commits, as it happens." },
  storeEvents: { path: "/api/events", summary: "Which runs change, as it happens." },
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;
type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : never;

/** What a client gives and gets. */
export type Query<Name extends EndpointName> = Endpoints[Name] extends { readonly query: infer Schema }
  ? InputOf<Schema>
  : undefined;
export type Body<Name extends EndpointName> = Endpoints[Name] extends { readonly body: infer Schema }
  ? InputOf<Schema>
  : undefined;
/** What the server gets of a query, with defaults and numbers read. */
export type QueryOf<Name extends EndpointName> = Endpoints[Name] extends { readonly query: infer Schema }
  ? OutputOf<Schema>
  : undefined;
export type Answer<Name extends EndpointName> = z.infer<Endpoints[Name]["answer"]>;
