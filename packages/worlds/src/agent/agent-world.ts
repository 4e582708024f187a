/**
 * Any agent that speaks to an OpenAI-compatible endpoint, as a world. Its program runs unchanged; what it asks its model is the
 * observation, and what the policy says is the model's answer. So everything that plays in worlds (groups, trees, credit,
 * training) works on the agent's own calls, with the policy's exact tokens.
 */
import { EngineError, errorData, isAbort, throwIfAborted, type PlainError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode, OpenOptions, OwnRequest } from "limbeck-core/env/env";
import { episodeOf, type Taken } from "limbeck-core/env/episode-of";
import { listedTasks } from "limbeck-core/env/task-file";
import { digest } from "../tools/canonical.ts";
import { errorSays } from "../tools/observation.ts";
import { createDesk, type Desk } from "./desk.ts";
import {
  Program,
  type AgentProgramOptions,
  type AgentWorldOptions,
  type Next,
  type ProgramOptions,
  type ProgramEnd,
} from "./program.ts";
import { Reader, ownRequest, replyOf, type ChatQuestion, type ChatReply } from "./question.ts";

const ID = "agent";

/**
 * An agent's program as a world.
 *
 * @example
 * const task = { id: "a", env: "agent", seed: 1, goal: "Say hello.", split: "train" };
 * const program = 'const r = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body: JSON.stringify({ messages: [{ role: "user", content: process.env.LIMBECK_GOAL }] }) }); process.exit((await r.json()).choices[0].message.content === "hello" ? 0 : 1)';
 * const env = createAgentWorld({ command: process.execPath, args: ["--input-type=module", "-e", program], tasks: { train: [task] } });
 * const episode = await env.open(task);
 * console.log(episode.observation, (await episode.step("hello")).success); // Say hello. true
 */
export function createAgentWorld(options: AgentWorldOptions): Env {
  const { tasks, maxSteps = 30 } = options;
  const desk = createDesk();
  const program = programOf(options);
  return {
    id: ID,
    summary: "An agent's own program, whose model is the policy.",
    maxSteps,
    ...listedTasks(ID, tasks),
    open: async (task, given = {}) => {
      throwIfAborted(given.signal);
      return openEpisode(task, maxSteps, await startRun({ desk, task, program }, given));
    },
  };
}

function programOf(options: AgentProgramOptions): ProgramOptions {
  if (options.folder !== undefined && options.cwd !== undefined) {
    throw new EngineError(
      "bad-options",
      "The world agent takes folder (copied for every episode) or cwd (used as it is).",
    );
  }
  const standard = {
    folder: undefined,
    cwd: undefined,
    input: true,
    judge: undefined,
    check: [],
    taskChecks: false,
    prepare: [],
    timeoutMs: 60_000,
  };
  return { ...standard, ...options };
}

/** One run of the program with the model that it has of its own: no request is served here, only the outcome is given. */
export async function runOwnAgent(task: Task, options: AgentProgramOptions, signal?: AbortSignal): Promise<ProgramEnd> {
  throwIfAborted(signal);
  const program = await Program.start(undefined, task, programOf(options));
  try {
    const next = await program.next(signal);
    if (next.kind === "end") return next.verdict;
    throw new EngineError("env-lost", `The agent "${options.command}" asked somebody who was not there.`);
  } finally {
    await program.close();
  }
}

interface AgentSetup {
  readonly desk: Desk;
  readonly task: Task;
  readonly program: ProgramOptions;
}

/** A run of the program up to its next question, and all answers that led there: a copy gives the same ones again. */
interface Run {
  readonly place: AgentSetup;
  readonly program: Program;
  readonly reader: Reader;
  readonly question: ChatQuestion;
  /** The same question in the program's own words. */
  readonly request: OwnRequest;
  readonly observation: string;
  readonly replies: readonly { readonly observation: string; readonly reply: ChatReply }[];
}

interface AgentState {
  readonly run: Run;
  readonly observation: string;
  readonly history: string;
  readonly steps: number;
  readonly ending: Ending | undefined;
  readonly reward: Score;
  readonly success: boolean | null;
  readonly failure: PlainError | undefined;
}

async function startRun(place: AgentSetup, { signal }: OpenOptions): Promise<Run> {
  const program = await Program.start(place.desk, place.task, place.program);
  try {
    const next = await program.next(signal);
    if (next.kind === "end") {
      throw new EngineError(
        "env-lost",
        `The agent "${place.program.command}" ended before it asked its model anything. It must speak to the address in OPENAI_BASE_URL.`,
      );
    }
    const reader = new Reader();
    const { question } = next;
    const request = ownRequest(question);
    return { place, program, reader, question, request, observation: reader.read(question), replies: [] };
  } catch (error) {
    await program.close();
    throw error;
  }
}

function openEpisode(task: Task, maxSteps: number, run: Run): Episode {
  const start: AgentState = {
    run,
    observation: run.observation,
    history: digest(run.observation),
    steps: 0,
    ending: undefined,
    reward: scored(0),
    success: null,
    failure: undefined,
  };
  return episodeOf<AgentState>(task, start, {
    observation: ({ observation }) => observation,
    stateKey: ({ history }) => history,
    ending: ({ ending }) => ending,
    reward: ({ reward }) => reward,
    success: ({ success }) => success,
    failure: ({ failure }) => failure,
    request: ({ run: { request } }) => request,
    step: async (state, action, given) => {
      try {
        const taken = await act(state, action, given);
        const { steps, ending } = taken.state;
        if (ending === undefined && steps >= maxSteps) {
          await taken.state.run.program.close();
          return { ...taken, state: { ...taken.state, ending: "truncated", success: false } };
        }
        return taken;
      } catch (error) {
        if (isAbort(error)) throw error;
        return await lost(state, error);
      }
    },
    fork: async (state) => ({ ...state, run: state.ending === undefined ? await replay(state.run) : state.run }),
    close: ({ run: own }) => own.program.close(),
  });
}

async function act(state: AgentState, action: string, { signal }: OpenOptions): Promise<Taken<AgentState>> {
  const { run } = state;
  const reply = replyOf(action, run.question, run.replies.length);
  if ("reason" in reply) {
    const observation = errorSays(reply.reason);
    return { state: { ...state, observation, steps: state.steps + 1 }, valid: false, reward: scored(0) };
  }
  run.question.answer(reply);
  const next = await run.program.next(signal);
  const steps = state.steps + 1;
  const replies = [...run.replies, { observation: run.observation, reply }];
  if (next.kind === "end") return await ended(state, next, { ...run, replies });
  const observation = run.reader.read(next.question);
  const gone = { ...run, question: next.question, request: ownRequest(next.question), observation, replies };
  const history = digest(`${state.history}\n${JSON.stringify(reply)}\n${observation}`);
  return { state: { ...state, run: gone, observation, history, steps }, valid: true, reward: scored(0) };
}

async function ended(
  state: AgentState,
  { verdict }: Next & { readonly kind: "end" },
  run: Run,
): Promise<Taken<AgentState>> {
  await run.program.close();
  const { by, exitCode, printed, why } = verdict;
  const reward = why === undefined ? scored(verdict.reward) : unscored(why);
  const over = {
    run,
    observation: "The agent has ended.",
    steps: state.steps + 1,
    history: digest(`${state.history}\nend`),
  };
  const next: AgentState = { ...state, ...over, ending: "terminated", reward, success: verdict.success };
  return { state: next, valid: true, reward, info: { by, exitCode, printed, ...withoutUndefined({ why }) } };
}

async function lost(state: AgentState, error: unknown): Promise<Taken<AgentState>> {
  await state.run.program.close();
  const failure = errorData(
    error instanceof EngineError ? error : new EngineError("env-lost", "The agent was lost.", { cause: error }),
  );
  const reward = unscored(failure.message);
  const told = { observation: errorSays(failure.message), steps: state.steps + 1, failure };
  return { state: { ...state, ...told, ending: "failed", reward, success: null }, valid: true, reward };
}

/** Another run of the program that is given the same answers; refused where it does not ask the same. */
async function replay({ place, replies, observation }: Run): Promise<Run> {
  let copy = await startRun(place, {});
  try {
    for (const { observation: wanted, reply } of replies) {
      requireSame(place, copy.observation, wanted);
      copy.question.answer(reply);
      const next = await copy.program.next();
      if (next.kind === "end") throw changed(place);
      const again = copy.reader.read(next.question);
      const given = [...copy.replies, { observation: copy.observation, reply }];
      const { question } = next;
      copy = { ...copy, question, request: ownRequest(question), observation: again, replies: given };
    }
    requireSame(place, copy.observation, observation);
    return copy;
  } catch (error) {
    await copy.program.close();
    throw error;
  }
}

function requireSame(place: AgentSetup, here: string, wanted: string): void {
  if (here !== wanted) throw changed(place);
}

function changed({ program: { command } }: AgentSetup): EngineError {
  return new EngineError(
    "cannot-fork",
    `The agent "${command}" did not ask the same again when it was given the same answers, so it cannot be copied in the middle. Strategies without branches (--strategy group) do not need that.`,
  );
}
