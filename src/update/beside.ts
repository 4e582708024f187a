/**
 * Episodes beside those of the update: the same tasks played again by somebody who has been told something, and how a
 * demonstrator does them, both written as the policy itself would have met them. What they take is booked.
 */
import { EngineError } from "../base/index.ts";
import { withoutHint } from "../distill/index.ts";
import type { Demonstrator, Env } from "../env/index.ts";
import type { Dialect, Policy } from "../policy/index.ts";
import {
  appendOnly,
  createHandover,
  createStrategy,
  createTokenAgent,
  rollOut,
  withOpening,
  type Agent,
} from "../rollout/index.ts";
import { skillOpening } from "../skill/index.ts";
import type { Task, TokenStream, Trajectory } from "../trajectory/index.ts";
import { costOf, noted } from "./episodes.ts";
import type { Cost } from "./providers/provider.ts";
import { createReferences, type Reference } from "./providers/references.ts";
import { limited } from "./providers/run-providers.ts";
import type { Settings } from "../recipe/settings.ts";
import { injectionOf } from "./teacher-settings.ts";
import type { TrainedModel } from "../training/trained-model.ts";

export interface ToldRequest {
  /** Stands in the names of the episodes, and in the lake as their phase: "hinted". */
  readonly label: string;
  readonly by: "policy" | "teacher";
  readonly temperature: number;
}

/** A task that is to be played, and what is told at its opening. The same task may come several times. */
export interface Told {
  readonly task: Task;
  readonly hint: string;
  /** Given to the episode, so that it is compared with others of it. */
  readonly group: string;
}

export interface Beside {
  /** How the demonstrator does the task; undefined where it fails, an error where there is none. */
  solve(task: Task): Promise<Reference | undefined>;
  /**
   * Plays with a hint in the opening. What comes back has no hint in it, and log-probabilities of the policy as it is
   * now: as if it had done all that by itself. In order; undefined for an episode that was lost.
   */
  playTold(told: readonly Told[], request: ToldRequest): Promise<(Trajectory | undefined)[]>;
  /** Given actions as an episode of the policy's own, to be imitated; the world says whether they succeed. */
  imitate(
    plans: readonly { readonly task: Task; readonly actions: readonly string[] }[],
  ): Promise<readonly Trajectory[]>;
}

export interface BesideParts {
  readonly update: number;
  readonly seed: number;
  readonly settings: Settings;
  readonly model: TrainedModel;
  readonly dialect: Dialect;
  readonly env?: Env | undefined;
  readonly demonstrator?: Demonstrator | undefined;
  /** The teacher as a policy that acts. */
  readonly teacherPolicy?: () => Policy;
  readonly signal: AbortSignal;
}

export interface BesideBooks {
  readonly spend: (cost: Partial<Cost>) => void;
  /** Takes what was played, for the lake. */
  readonly store: (episodes: readonly Trajectory[]) => void;
  readonly timed: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createBeside(parts: BesideParts, books: BesideBooks): Beside {
  const { timed } = books;
  const tools = toolsOf(parts, books);
  return {
    // A script's solution takes no time worth telling, and is asked for while others are timed.
    solve: (task) => tools.solve(task),
    playTold: (told, request) => timed(() => tools.playTold(told, request)),
    imitate: (plans) => timed(() => tools.imitate(plans)),
  };
}

function toolsOf(parts: BesideParts, { spend, store }: BesideBooks): Beside {
  const { dialect, settings, signal } = parts;
  const seed = `${parts.seed} update ${parts.update}`;
  let ask: ReturnType<typeof createReferences> | undefined;
  const agentOf = (policy: Policy, temperature: number, hints: ReadonlyMap<string, string>): Agent =>
    createTokenAgent({
      policy,
      dialect,
      temperature,
      answerTokens: Number(settings["answerTokens"]),
      prompting: withOpening(
        appendOnly,
        skillOpening(({ id }) => hints.get(id), injectionOf(settings)),
      ),
    });
  const keep = (label: string, episodes: readonly Trajectory[], cost: Partial<Cost>): void => {
    spend(cost);
    store(episodes.map((one) => noted(one, { phase: label, update: parts.update })));
  };
  return {
    solve: async (task) => {
      ask ??= createReferences({ env: worldOf(parts), demonstrator: parts.demonstrator, seed, signal, spend });
      return await ask(task, "answerTeacher");
    },
    playTold: async (told, { label, by, temperature }) => {
      if (told.length === 0) return [];
      const policy = by === "policy" ? parts.model : teacherOf(parts);
      const played = await Promise.all(
        roundsOf(told).map(async (round, at) => {
          const hints = new Map(round.map(({ told: { task, hint } }) => [task.id, hint]));
          const { trajectories } = await rollOut({
            env: worldOf(parts),
            agent: agentOf(policy, temperature, hints),
            strategy: createStrategy("group", { size: 1 }),
            tasks: round.map(({ told: { task } }) => task),
            seed: `${seed} ${label} ${at}`,
            prefix: `${parts.update}/${label}-${at}/`,
            signal,
          });
          const byTask = new Map(trajectories.map((one) => [one.task.id, one]));
          return round.map(({ place, told: { task, group } }) => ({ place, group, episode: byTask.get(task.id) }));
        }),
      );
      const plain: (Trajectory | undefined)[] = told.map(() => undefined);
      for (const { place, group, episode } of played.flat()) {
        if (episode === undefined || episode.ending === "failed") continue;
        const bare = withoutHint(episode, dialect);
        if (bare !== undefined) plain[place] = { ...bare, group };
      }
      const scored = await scoredAnew(parts, plain, spend);
      const whole = scored.filter((one) => one !== undefined);
      keep(label, whole, costOf(whole));
      return scored;
    },
    imitate: async (plans) => {
      const given = new Map(plans.map(({ task, actions }) => [task.id, actions]));
      const { trajectories } = await rollOut({
        env: worldOf(parts),
        agent: agentOf(parts.model, 1, new Map()),
        strategy: createHandover({ start: ({ id }) => ({ actions: given.get(id) ?? [], turns: 0 }), size: 1 }),
        tasks: plans.map(({ task }) => task),
        seed: `${seed} imitated`,
        prefix: `${parts.update}/imitated/`,
        signal,
      });
      const own = trajectories.map(asOwn);
      keep("imitated", own, { environmentSteps: costOf(own).environmentSteps });
      return own;
    },
  };
}

/** Every task once in each round: a rollout plays a task under one hint. */
function roundsOf(told: readonly Told[]): { readonly place: number; readonly told: Told }[][] {
  const met = new Map<string, number>();
  const rounds: { place: number; told: Told }[][] = [];
  for (const [place, one] of told.entries()) {
    const round = met.get(one.task.id) ?? 0;
    met.set(one.task.id, round + 1);
    (rounds[round] ??= []).push({ place, told: one });
  }
  return rounds;
}

/** With log-probabilities of the present policy at its own tokens. */
async function scoredAnew(
  { model, signal }: BesideParts,
  episodes: readonly (Trajectory | undefined)[],
  spend: (cost: Partial<Cost>) => void,
): Promise<(Trajectory | undefined)[]> {
  const streams = episodes.flatMap((one) => one?.streams ?? []);
  const fitting = streams.filter(({ ids }) => ids.length <= model.config.contextLength);
  const scored = await model.score(
    fitting.map(({ ids, mask }) => ({ ids, mask })),
    { statistics: ["logprob"], signal, report: ({ tokens }) => spend({ modelTokens: tokens }) },
  );
  const logprobs = new Map(fitting.map((stream, at) => [stream, scored[at]?.logprob]));
  return episodes.map((episode) => {
    if (episode === undefined) return undefined;
    const known = episode.streams.map((stream): TokenStream | undefined => {
      const own = logprobs.get(stream);
      return own === undefined ? undefined : { ...stream, logprobs: own };
    });
    return known.includes(undefined) ? undefined : { ...episode, streams: known.filter((one) => one !== undefined) };
  });
}

/** Imposed answers as if the policy had given them; statistics of a sampling that never was are left out. */
function asOwn(trajectory: Trajectory): Trajectory {
  const streams = trajectory.streams.map(({ ids }, at) => {
    const mask = new Uint8Array(ids.length);
    for (const { span } of trajectory.steps) if (span?.stream === at) mask.fill(1, span.start, span.end);
    return { ids, mask };
  });
  return { ...trajectory, streams };
}

function worldOf({ env, settings }: BesideParts): Env {
  if (env !== undefined) return limited(env, settings["maxSteps"]);
  throw new EngineError("needs-unmet", 'The recipe plays tasks again, and this training has no world; give it "env".');
}

function teacherOf({ teacherPolicy }: BesideParts): Policy {
  if (teacherPolicy !== undefined) return teacherPolicy();
  throw new EngineError(
    "needs-unmet",
    'The recipe lets the teacher act, and this training has none that can; give it "teacherPolicy".',
  );
}
