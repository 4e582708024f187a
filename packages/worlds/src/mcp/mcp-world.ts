/**
 * The tools of any MCP server as a world. Every episode has a server of its own, which is started for it: that is the
 * reset. An action is a call; any other text is the agent's answer and ends the episode, and then the task's check is made.
 */
import { isAbort, throwIfAborted } from "limbeck-base/base/errors";
import { scored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode, OpenOptions } from "limbeck-core/env/env";
import { episodeOf, lostState, openState, PLAIN_RULES, type PlainState, type Taken } from "limbeck-core/env/episode-of";
import { listedTasks, plainAnswer, type TasksBySplit } from "limbeck-core/env/task-file";
import { parseAction } from "limbeck-base/trajectory/tool-action";
import { digest } from "../tools/canonical.ts";
import type { McpOptions } from "../tools/mcp-options.ts";
import { mcpSessions } from "../tools/mcp-session.ts";
import { errorSays, toolLines, toolSays } from "../tools/observation.ts";
import type { ToolSession } from "../tools/session.ts";
import { chatDefinition } from "../tools/tool.ts";
import { unknownTool } from "../tools/toolbox.ts";
import { checkOf, type Check } from "./task-file.ts";

export interface McpWorldOptions extends McpOptions {
  readonly id?: string;
  /** By split; `readTasks` reads them from a file. */
  readonly tasks: TasksBySplit;
  /** Default: 20. */
  readonly maxSteps?: number;
}

const MAX_STEPS = 20;
const FORM = 'To call a tool write {"name": "…", "arguments": {…}}. Any other text is your answer and ends the task.';

export function createMcpWorld({ id = "mcp", tasks, maxSteps = MAX_STEPS, ...server }: McpWorldOptions): Env {
  const open = mcpSessions(server);
  return {
    id,
    summary: "Does tasks with the tools of an MCP server.",
    maxSteps,
    ...listedTasks(id, tasks),
    open: async (task, options = {}) => {
      throwIfAborted(options.signal);
      const check = checkOf(task);
      return openEpisode(task, check, await open(task, undefined, options), maxSteps);
    },
  };
}

interface State extends PlainState {
  readonly session: ToolSession;
  /** The last observation that was not an error; what the state key sees. */
  readonly scene: string;
  readonly steps: number;
}

function openEpisode(task: Task, check: Check, session: ToolSession, maxSteps: number): Episode {
  const opening = `${task.goal}\n\nTools\n${toolLines(session.definitions)}\n${FORM}`;
  const start: State = { ...openState(opening), session, scene: opening, steps: 0 };
  return episodeOf<State>(task, start, {
    ...PLAIN_RULES,
    stateKey: ({ session: { stateHash }, scene }) => digest(`${stateHash}\n${scene}`),
    tools: session.definitions.map(chatDefinition),
    irreversible: ({ ending, session: { definitions } }, action) => {
      const parsed = ending === undefined ? parseAction(action) : undefined;
      if (parsed?.kind !== "call") return false;
      return definitions.some(({ name, irreversible }) => name === parsed.name && irreversible);
    },
    step: async (state, action, options) => {
      try {
        const taken = await act(check, state, action, options);
        const { steps, ending } = taken.state;
        if (ending !== undefined || steps < maxSteps) return taken;
        return { ...taken, state: { ...taken.state, ending: "truncated", success: false } };
      } catch (error) {
        if (isAbort(error)) throw error;
        return lost(state, error);
      }
    },
    fork: async (state) => ({ ...state, session: await state.session.fork() }),
    close: ({ session: own }) => own.close(),
  });
}

async function act(check: Check, state: State, action: string, options: OpenOptions): Promise<Taken<State>> {
  const { session } = state;
  const parsed = parseAction(action);
  if (parsed.kind === "malformed") return mistake(state, parsed.reason, { kind: "malformed" });
  if (parsed.kind === "message") return await answered(check, state, parsed.text, options);
  const { name, arguments: args } = parsed;
  const definition = session.definitions.find((tool) => tool.name === name);
  if (definition === undefined) {
    const known = session.definitions.map((tool) => tool.name);
    return mistake(state, unknownTool(name, known), { kind: "unknown-tool" });
  }
  const reply = await session.call(name, args, options);
  const info = { kind: "call", tool: name, effect: definition.effect, irreversible: definition.irreversible };
  if (!reply.ok) return mistake(state, reply.text, { ...info, kind: "refused" });
  const seen = toolSays(name, reply.text);
  const next = { ...state, observation: seen, scene: seen, steps: state.steps + 1 };
  return { state: next, valid: true, reward: scored(0), info };
}

/** Costs a step and changes nothing else. */
function mistake(state: State, reason: string, info: JsonObject): Taken<State> {
  const next = { ...state, observation: errorSays(reason), steps: state.steps + 1 };
  return { state: next, valid: false, reward: scored(0), info };
}

async function answered(check: Check, state: State, text: string, options: OpenOptions): Promise<Taken<State>> {
  const parts = await checked(check, state.session, text, options);
  const success = Object.values(parts).every(Boolean);
  const reward = scored(success ? 1 : 0);
  const observation = "The task is over.";
  const next = { ...state, observation, scene: observation, steps: state.steps + 1 };
  return {
    state: { ...next, ending: "terminated", reward, success },
    valid: true,
    reward,
    info: { kind: "answer", check: parts },
  };
}

/** Each part of the check that the task has. */
async function checked(
  { answer, mentions, calls, state }: Check,
  session: ToolSession,
  text: string,
  options: OpenOptions,
): Promise<Readonly<Record<string, boolean>>> {
  const parts: Record<string, boolean> = {};
  if (answer !== undefined) parts["answer"] = answer.some((one) => plainAnswer(one) === plainAnswer(text));
  if (mentions !== undefined) parts["mentions"] = mentions.every((one) => plainAnswer(text).includes(plainAnswer(one)));
  if (calls !== undefined) parts["calls"] = await session.matches(calls);
  if (state !== undefined) {
    const { ok, text: told } = await session.call(state.name, state.arguments, options);
    parts["state"] = ok && state.contains.every((one) => plainAnswer(told).includes(plainAnswer(one)));
  }
  return parts;
}

function lost(state: State, error: unknown): Taken<State> {
  const ended = lostState(error, "The tools stopped working.");
  const next = { ...state, ...ended, observation: errorSays(ended.failure.message), steps: state.steps + 1 };
  return { state: next, valid: true, reward: ended.reward, info: { kind: "failed" } };
}
