/** The studio's server: opens the store, listens, and stops without leaving anything behind. */
import { createAdaptorServer } from "@hono/node-server";
import { checkOptions as checkNumbers, may } from "limbeck-base/base/options";
import { randomBytes } from "node:crypto";
import type { RequestListener, Server } from "node:http";
import { basename } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { accessOf, type ServerAccess } from "limbeck-base/base/access";
import { createGuardedServer, type GuardedOptions } from "limbeck-base/base/guarded-server";
import { closeServer, isLoopback, listenAt } from "limbeck-base/base/listen";
import { openStore } from "limbeck-store/store/open-store";
import { withOwnSql } from "limbeck-store/store/with-store";
import type { Store } from "limbeck-store/store/store";
import { type Arenas, openFolderArenas } from "./arena/folder-arenas.ts";
import { openFleetView, type FleetView } from "./fleet/fleet-view.ts";
import { createApp, MOST_BODY_BYTES, type EndpointRequest, type Handlers } from "./http/app.ts";
import { openAssets } from "./http/assets.ts";
import { createGuard } from "./http/guard.ts";
import { NO_TOKEN, refuseFromStudio, shownToStudio, STUDIO_ROUTES } from "./http/who-asks.ts";
import { followRun, followStore } from "./live/follow.ts";
import { createGames, type Games } from "./play/games.ts";
import { createModelShelf, type ModelShelf } from "./play/model-shelf.ts";
import { createRunList, type RunList } from "./runs/run-list.ts";
import { runSql } from "./runs/sql.ts";
import { openFolderLibrary, type SkillLibrary } from "./skills/folder-library.ts";
import { createTrainings, type Trainings } from "./trainings/trainings.ts";
import { createTrajectoryShelf, type TrajectoryShelf } from "./trajectories/shelf.ts";
import { envs } from "limbeck-worlds/index";
import type { Allowed } from "limbeck-core/env/stored-options";
import type { Answer } from "./api/endpoints.ts";
import { adviceOf } from "./play/advice.ts";
import { entropiesOf, readForest } from "./play/entropy.ts";
import { freshTask, playMenu, storedWorld } from "./play/worlds.ts";
import { compareRuns } from "./runs/compare.ts";
import { createDetails } from "./runs/run-detail.ts";
import { listRunSkills, readRunSkill } from "./skills/run-skills.ts";
import { addFeedback, readFeedback } from "limbeck-store/record/feedback";
import { findIn } from "./trajectories/find.ts";
import { detailOf, rewardOf, windowOf } from "./trajectories/detail.ts";
import { listGroups, readGroup } from "./trajectories/groups.ts";
import { listTrajectories, readFacets } from "./trajectories/list.ts";
import { readState } from "./trajectories/state.ts";
import { wholeText } from "./trajectories/whole-text.ts";

export interface StudioOptions extends ServerAccess {
  /** The folder of runs. */
  readonly root: string;
  readonly version: string;
  /** Default: 127.0.0.1; anything that is not this machine alone needs a token of one's own. */
  readonly host?: string;
  /** Default: 0, any free one. */
  readonly port?: number;
  /** Default: random. */
  readonly token?: string;
  /** Lets episodes be judged, runs be labelled and skills be decided on. */
  readonly write?: boolean;
  /** Lets trainings be started: what Node runs as the command line. On this machine only. Default: none can be. */
  readonly train?: readonly string[] | undefined;
  /** Lets the options of a stored run start programs, where a trajectory is played on. */
  readonly allowCommands?: boolean;
  /** Lets them name addresses to call. */
  readonly allowAddresses?: boolean;
  /** The folder of the built pages; without it only the API answers. */
  readonly pages?: string;
  /** The skill library, or its folder; without it only the skills of runs are shown. */
  readonly library?: string | SkillLibrary;
  /** Default: those in the store's folder. */
  readonly arenas?: Arenas;
  /** Folders of models to play beside: checkpoints of one's own. Default: none. */
  readonly models?: readonly string[];
  /** The Redis server of a fleet to show. Default: none. */
  readonly redis?: string;
  /** How long an answer serves others that ask the same, in milliseconds; a change through this server or an event of its streams ends it. Default: 0. */
  readonly keepMs?: number;
  /** Between two looks at the log of a run that is followed. Default: 500. */
  readonly followEveryMs?: number;
  readonly sqlTimeoutMs?: number;
  readonly now?: () => Date;
}

export const STUDIO_CHECKS = {
  port: may.port,
  keepMs: may.amount,
  followEveryMs: may.positive,
  sqlTimeoutMs: may.positive,
} as const;

export interface Studio {
  /** Without the token. */
  readonly url: string;
  readonly token: string;
  /** What to open: the token is part of it. */
  readonly entrance: string;
  close(): Promise<void>;
}

/** As many as the list of runs shows at once. */
const FIRST_RUNS = 50;
const SQL_ROWS = 1_000;
const SQL_TIMEOUT_MS = 20_000;
const LEAST_TOKEN = 16;

/**
 * Serves the runs of a folder until it is closed.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-runs-"));
 * const studio = await startStudio({ root: folder, version: "1" });
 * const answer = await fetch(`${studio.url}/api/runs`, { headers: { authorization: `Bearer ${studio.token}` } });
 * console.log(answer.status); // 200
 * await studio.close();
 * rmSync(folder, { recursive: true });
 */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const { host = "127.0.0.1", now = () => new Date() } = options;
  checkNumbers("startStudio", options, STUDIO_CHECKS);
  checkOptions(host, options);
  const token = options.token ?? randomBytes(24).toString("base64url");
  const clock = (): number => performance.now();
  const fleet = options.redis === undefined ? undefined : await openFleetView(options.redis, clock);
  const opened = openStore(options.root, { keepOpen: true });
  // Everything but the SQL of a person is the program's own.
  const store = withOwnSql(opened);
  const library = typeof options.library === "string" ? openFolderLibrary(options.library, store) : options.library;
  const trainings = createTrainings({ root: store.root, program: options.train, now });
  const runs = createRunList(store, { now, isOver: (run) => trainings.isOver(run) });
  const ownModels = options.models ?? [];
  const [models, games] = [createModelShelf({ root: store.root, own: ownModels }), createGames()];
  const stopping = new AbortController();
  const sqlLimits = { rows: SQL_ROWS, timeoutMs: options.sqlTimeoutMs ?? SQL_TIMEOUT_MS, now: clock };
  const desk: Desk = {
    store,
    sql: (asked, signal) => runSql(opened, asked, sqlLimits, signal),
    runs,
    shelf: createTrajectoryShelf(store, clock),
    models,
    ownModels,
    games,
    allowed: { commands: options.allowCommands === true, addresses: options.allowAddresses === true },
    library,
    arenas: options.arenas ?? openFolderArenas(store.root),
    fleet,
    trainings,
    meta: metaOf({ ...options, now }, store, library),
  };
  const follow = { store, runs, everyMs: options.followEveryMs ?? 500 };
  let port = options.port ?? 0;
  const guard = createGuard({ host, port: () => port });
  const app = createApp({
    version: options.version,
    guard,
    handlers: createHandlers(desk),
    streams: {
      runEvents: (run, last) => followRun(follow, run, last),
      storeEvents: () => followStore(follow),
    },
    rights: { write: options.write === true, train: options.train !== undefined },
    assets: options.pages === undefined ? undefined : await openAssets(options.pages),
    keepMs: options.keepMs,
    stopping: stopping.signal,
  });
  const http = createAdaptorServer({
    fetch: app.fetch,
    createServer: ((_options: object, listener: RequestListener) =>
      createGuardedServer(guardedBy(options, { host, token, cookie: guard.cookie }), listener)) as never,
  }) as Server;
  const listening = await listenAt(http, { host, port }, "The studio").catch((error: unknown) => {
    fleet?.close();
    throw error;
  });
  ({ port } = listening);
  const { url } = listening;
  // The first look at a large store takes seconds; it begins before the first request.
  void runs.page({ offset: 0, limit: FIRST_RUNS, archived: "hide", figures: "whole" }).catch(() => undefined);
  return {
    url,
    token,
    entrance: `${url}/?token=${encodeURIComponent(token)}`,
    close: async () => {
      stopping.abort();
      await Promise.all([closeServer(http), trainings.close()]);
      fleet?.close();
      await Promise.all([models.close(), games.close(), store.close()]);
    },
  };
}

/** What the pages ask first: which server this is, and what can be done here. */
function metaOf(
  { version, write, train, now }: StudioOptions & Required<Pick<StudioOptions, "now">>,
  { root }: Store,
  library: SkillLibrary | undefined,
): Desk["meta"] {
  const server = randomBytes(6).toString("hex");
  return () => ({
    version,
    server,
    store: basename(root),
    writable: write === true,
    trainable: train !== undefined,
    library: library?.name ?? null,
    now: now().toISOString(),
  });
}

function guardedBy(
  options: StudioOptions,
  { host, token, cookie }: { readonly host: string; readonly token: string; readonly cookie: () => string },
): GuardedOptions {
  return {
    name: "studio",
    host,
    ...accessOf(options),
    secret: token,
    routes: STUDIO_ROUTES,
    shownBy: (request) => shownToStudio(request, cookie()),
    unknown: NO_TOKEN,
    mostBytes: MOST_BODY_BYTES,
    refuse: refuseFromStudio,
  };
}

function checkOptions(host: string, { token, tokens, train }: StudioOptions): void {
  if (!isLoopback(host) && train !== undefined) {
    throw new EngineError(
      "bad-address",
      `Trainings can be started from this machine alone: leave out --train, or --host ${host}.`,
    );
  }
  if (!isLoopback(host) && token === undefined && tokens === undefined) {
    throw new EngineError(
      "token-needed",
      `To be reached from other machines (--host ${host}) the studio needs a token of your own: --token TEXT, ${LEAST_TOKEN} letters or more, or --tokens FILE.`,
    );
  }
  if (token !== undefined && !(token.length >= LEAST_TOKEN && /^[A-Za-z0-9._~-]+$/.test(token))) {
    throw new EngineError("bad-token", `A token has ${LEAST_TOKEN} or more letters, digits, ".", "_", "~" or "-".`);
  }
}

// What each endpoint does, in terms of the modules beside it. Wiring only.

interface Desk {
  readonly store: Store;
  readonly runs: RunList;
  readonly shelf: TrajectoryShelf;
  readonly models: ModelShelf;
  /** Folders of models from the server's options. */
  readonly ownModels: readonly string[];
  readonly games: Games;
  readonly library: SkillLibrary | undefined;
  readonly arenas: Arenas;
  readonly fleet: FleetView | undefined;
  readonly trainings: Trainings;
  /** What the options of a stored run may do where it is played on. */
  readonly allowed: Allowed;
  /** SQL of a person, in a database that sees nothing but segments. */
  readonly sql: (asked: EndpointRequest<"sql">["body"], signal: AbortSignal) => Promise<Answer<"sql">>;
  readonly meta: () => Answer<"meta">;
}

function createHandlers(desk: Desk): Handlers {
  return {
    ...runHandlers(desk),
    ...trainingHandlers(desk),
    ...trajectoryHandlers(desk),
    ...skillHandlers(desk),
    ...playHandlers(desk),
  };
}

function runHandlers({ store, runs, meta, sql, arenas, fleet }: Desk) {
  const detail = createDetails(store, runs);
  return {
    meta: async () => meta(),
    runs: async ({ query }) => await runs.page(query),
    label: async ({ id, body }) => await runs.label(id("run"), body),
    run: async ({ id }) => await detail(id("run")),
    compare: async ({ query }) => await compareRuns(store, runs, query.runs),
    sql: async ({ body, signal }) => await sql(body, signal),
    arenas: async () => ({ arenas: await arenas.list() }),
    arena: async ({ id }) => await arenas.read(id("arena")),
    fleet: async () => ({ fleet: (await fleet?.read()) ?? null }),
  } satisfies Partial<Handlers>;
}

function trainingHandlers({ trainings }: Desk) {
  return {
    trainings: async () => trainings.read(),
    startTraining: async ({ body }) => await trainings.start(body),
    stopTraining: async ({ body: { run } }) => trainings.stop(run),
  } satisfies Partial<Handlers>;
}

function trajectoryHandlers({ store, runs, shelf, models }: Desk) {
  return {
    trajectories: async ({ query, signal }) => {
      for (const run of query.run ?? []) await requireRun(runs, run);
      return { ...(await listTrajectories(store, query, signal)), broken: await runs.broken() };
    },
    facets: async ({ query, signal }) => await readFacets(store, query.run, signal),
    trajectory: async ({ id, query }) => {
      const shown = await shelf.read(id("run"), query.id);
      const playable = Object.hasOwn(envs, shown.trajectory.task.env);
      return detailOf(shown, query.from, query.count, playable);
    },
    steps: async ({ id, query: { id: trajectory, from, count } }) => {
      const shown = await shelf.read(id("run"), trajectory);
      return { from, total: shown.trajectory.steps.length, window: windowOf(shown, from, count) };
    },
    entropy: async ({ id, query, signal }) => {
      const { trajectory } = await shelf.read(id("run"), query.id);
      const forest = await readForest(store, id("run"), trajectory);
      return await models.use(`run:${id("run")}`, (model) => entropiesOf(model, forest, trajectory, query, signal));
    },
    text: async ({ id, query: { id: trajectory, field, step } }) => {
      const shown = await shelf.read(id("run"), trajectory);
      return { text: wholeText(shown.trajectory, field, step) };
    },
    state: async ({ id, query: { id: trajectory, step } }) =>
      await readState(store, await shelf.read(id("run"), trajectory), step),
    find: async ({ id, query: { id: trajectory, text } }) =>
      findIn((await shelf.read(id("run"), trajectory)).trajectory, text),
    judge: async ({ id, body: { id: trajectory, who, ...said } }) => {
      const run = id("run");
      // It must be there: a reward for nothing would be kept, and could not be found.
      await shelf.read(run, trajectory);
      const { rewards } = await addFeedback(store, trajectory, readFeedback({ ...said, source: who }), run);
      shelf.forget(run, trajectory);
      return { rewards: rewards.map(rewardOf) };
    },
    groups: async ({ id, query }) => await listGroups(store, id("run"), query),
    group: async ({ id, query }) => await readGroup(store, id("run"), query.id, query.update),
  } satisfies Partial<Handlers>;
}

async function requireRun(runs: RunList, run: string): Promise<void> {
  const { problem } = await runs.summary(run);
  if (problem !== undefined) throw new EngineError("segment-damaged", problem, { details: { run } });
}

function skillHandlers({ store, library }: Desk) {
  const runOf = (run: string | undefined): string => {
    if (run !== undefined) return run;
    throw new EngineError("bad-request", "Name the run whose skills are wanted: run=ID.");
  };
  const need = (): SkillLibrary => {
    if (library !== undefined) return library;
    throw new EngineError("no-library", 'There is no skill library here; "limbeck skills extract" makes one.');
  };
  return {
    skills: async ({ query }) => {
      const { source, run, offset, limit } = query;
      const frame = { offset, limit, library: library?.name ?? null };
      if (source === "run") return { ...frame, ...(await listRunSkills(store, runOf(run), query)), problems: [] };
      return library === undefined
        ? { ...frame, total: 0, skills: [], problems: [] }
        : { ...frame, ...(await library.list(query)) };
    },
    skill: async ({ query: { id, source, run } }) =>
      source === "run" ? await readRunSkill(store, runOf(run), id) : await need().read(id),
    decide: async ({ body }) => await need().decide(body),
  } satisfies Partial<Handlers>;
}

function playHandlers(desk: Desk) {
  const { store, runs, games, models } = desk;
  return {
    playMenu: async () => await playMenu(store.root, runs, desk.ownModels),
    openGame: async (asked) => await openGame(desk, asked),
    game: async ({ query }) => games.read(query.id),
    hint: async ({ query }) => await games.hint(query.game, query.place),
    act: async ({ body: { game, place, action } }) => ({ place: await games.act(game, place, action) }),
    advice: async ({ query, signal }) => {
      const { moments, admissible, policy } = games.way(query.game, query.place);
      if (policy === undefined) throw new EngineError("no-model", "This game was opened without a policy.");
      return await models.use(policy, (model) => adviceOf(model, policy, moments, admissible, signal));
    },
  } satisfies Partial<Handlers>;
}

async function openGame(
  { runs, shelf, games, models, allowed }: Desk,
  { body, signal }: EndpointRequest<"openGame">,
): Promise<Answer<"openGame">> {
  const { policy } = body;
  if (policy !== undefined) await models.check(policy);
  if ("env" in body) {
    const { env, task } = await freshTask(body.env, body.split, body.index);
    return await games.open({ env, task, policy, actions: [], signal });
  }
  const { trajectory } = await shelf.read(body.run, body.trajectory);
  if (trajectory.parent !== undefined) {
    throw new EngineError("bad-request", "A branch begins in the middle of its parent; open the parent at that step.");
  }
  const env = await storedWorld(await runs.summary(body.run), trajectory, allowed);
  const actions = trajectory.steps.filter(({ index }) => index < body.step).map(({ action }) => action);
  return await games.open({ env, task: trajectory.task, policy, actions, signal });
}
