/** What each endpoint does, in terms of the modules beside it. Wiring only. */
import { EngineError } from "../base/index.ts";
import { envs, type Allowed } from "../env/index.ts";
import type { Store } from "../store/store.ts";
import type { Answer } from "./api/endpoints.ts";
import type { Arenas } from "./arena/arenas.ts";
import type { FleetView } from "./fleet/fleet-view.ts";
import type { Asked, Handlers } from "./http/app.ts";
import { adviceOf } from "./play/advice.ts";
import { entropiesOf, readForest } from "./play/entropy.ts";
import type { Games } from "./play/games.ts";
import type { ModelShelf } from "./play/model-shelf.ts";
import { freshTask, playMenu, storedWorld } from "./play/worlds.ts";
import { compareRuns } from "./runs/compare.ts";
import { createDetails } from "./runs/run-detail.ts";
import type { RunList } from "./runs/run-list.ts";
import type { SkillLibrary } from "./skills/library.ts";
import { listRunSkills, readRunSkill } from "./skills/run-skills.ts";
import { addFeedback, readFeedback } from "../record/feedback.ts";
import type { Trainings } from "./trainings/trainings.ts";
import { findIn } from "./trajectories/find.ts";
import { detailOf, rewardOf, windowOf } from "./trajectories/detail.ts";
import { listGroups, readGroup } from "./trajectories/groups.ts";
import { listTrajectories, readFacets } from "./trajectories/list.ts";
import type { TrajectoryShelf } from "./trajectories/shelf.ts";
import { readState } from "./trajectories/state.ts";
import { wholeText } from "./trajectories/whole-text.ts";

export interface Desk {
  readonly store: Store;
  readonly runs: RunList;
  readonly shelf: TrajectoryShelf;
  readonly models: ModelShelf;
  /** Folders of models that the person who started the server has named. */
  readonly ownModels: readonly string[];
  readonly games: Games;
  readonly library: SkillLibrary | undefined;
  readonly arenas: Arenas;
  readonly fleet: FleetView | undefined;
  readonly trainings: Trainings;
  /** What the options of a stored run may do where it is played on. */
  readonly allowed: Allowed;
  /** SQL of a person, in a database that sees nothing but segments. */
  readonly sql: (asked: Asked<"sql">["body"], signal: AbortSignal) => Promise<Answer<"sql">>;
  readonly meta: () => Answer<"meta">;
}

export function createHandlers(desk: Desk): Handlers {
  return {
    ...runHandlers(desk),
    ...trainingHandlers(desk),
    ...trajectoryHandlers(desk),
    ...skillHandlers(desk),
    ...playHandlers(desk),
  };
}

type Part<Names extends keyof Handlers> = Pick<Handlers, Names>;

function runHandlers({
  store,
  runs,
  meta,
  sql,
  arenas,
  fleet,
}: Desk): Part<"meta" | "runs" | "run" | "label" | "compare" | "sql" | "arenas" | "arena" | "fleet"> {
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
  };
}

function trainingHandlers({ trainings }: Desk): Part<"trainings" | "startTraining" | "stopTraining"> {
  return {
    trainings: async () => trainings.read(),
    startTraining: async ({ body }) => await trainings.start(body),
    stopTraining: async ({ body: { run } }) => trainings.stop(run),
  };
}

type TrajectoryNames =
  | "trajectories"
  | "facets"
  | "trajectory"
  | "steps"
  | "entropy"
  | "text"
  | "state"
  | "find"
  | "judge"
  | "groups"
  | "group";

function trajectoryHandlers({ store, runs, shelf, models }: Desk): Part<TrajectoryNames> {
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
  };
}

async function requireRun(runs: RunList, run: string): Promise<void> {
  const { problem } = await runs.summary(run);
  if (problem !== undefined) throw new EngineError("segment-damaged", problem, { details: { run } });
}

function skillHandlers({ store, library }: Desk): Part<"skills" | "skill" | "decide"> {
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
  };
}

function playHandlers(desk: Desk): Part<"playMenu" | "openGame" | "game" | "act" | "advice" | "hint"> {
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
  };
}

async function openGame(
  { runs, shelf, games, models, allowed }: Desk,
  { body, signal }: Asked<"openGame">,
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
