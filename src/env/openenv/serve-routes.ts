/** The routes beside the socket: what the server is, its tasks, and the protocol's stateless forms. */
import { z } from "zod";
import { createRng, EngineError, errorCode, lookUp, parseJson } from "../../base/index.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import { advice } from "../expert.ts";
import { chooseTask, createSession, type ServedWorld } from "./serve-session.ts";
import { AdviceData, OwnObservation, StepData, type Extension } from "./wire.ts";

export interface RouteReply {
  readonly status: number;
  readonly json: JsonObject;
}

export interface Described {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** False where the world cannot fork. */
  readonly snapshot: boolean;
}

const MAX_PAGE = 1_000;
const Page = z.object({
  split: z.string(),
  offset: z.coerce.number().int().min(0).default(0),
  count: z.coerce.number().int().min(0).max(MAX_PAGE).default(100),
});

export async function answerRoute(
  world: ServedWorld,
  described: Described,
  request: { readonly method: string; readonly url: URL; readonly body: string },
): Promise<RouteReply> {
  const { method, url, body } = request;
  switch (`${method} ${url.pathname}`) {
    case "GET /health":
      return ok({ status: "healthy" });
    case "GET /metadata":
      return ok({ ...metadata(described), limbeck: extensionOf(world, described) });
    case "GET /schema":
      return ok(schemas());
    case "GET /tasks":
      return await tasks(world, url);
    case "GET /state":
      return ok({ episode_id: null, step_count: 0 });
    case "POST /advice":
      return await advise(world, body);
    case "POST /reset":
      return await reset(world, body);
    case "POST /step":
      return {
        status: 409,
        json: { detail: "Episodes live on the socket /ws; a step over HTTP has none to go on with." },
      };
    default:
      return { status: 404, json: { detail: "Not Found" } };
  }
}

function ok(json: JsonObject): RouteReply {
  return { status: 200, json };
}

function metadata({ name, description, version }: Described): JsonObject {
  return { name, description, version, author: null, readme_content: null, documentation_url: null };
}

function extensionOf({ env, demonstrators = {} }: ServedWorld, { snapshot }: Described): Extension {
  const sizes = Object.entries(env.splits).map(([split, size]) => [split, Number.isFinite(size) ? size : null]);
  return {
    version: 1,
    snapshot,
    maxSteps: env.maxSteps,
    splits: Object.fromEntries(sizes) as Record<string, number | null>,
    demonstrators: Object.entries(demonstrators).map(([id, { summary }]) => ({ id, summary })),
  };
}

function schemas(): JsonObject {
  const state = {
    type: "object",
    title: "State",
    properties: { episode_id: { anyOf: [{ type: "string" }, { type: "null" }] }, step_count: { type: "integer" } },
  };
  const [action, observation] = [StepData, OwnObservation].map((schema) => z.toJSONSchema(schema, { io: "input" }));
  // What zod writes is JSON; its type says "unknown" in places.
  return { action, observation, state } as unknown as JsonObject;
}

async function tasks({ env }: ServedWorld, url: URL): Promise<RouteReply> {
  const asked = Page.safeParse(Object.fromEntries(url.searchParams));
  if (!asked.success) return { status: 422, json: { detail: z.prettifyError(asked.error) } };
  const { split, offset, count } = asked.data;
  const found: JsonObject[] = [];
  try {
    for await (const { id, seed, goal } of env.tasks(split, { offset, count })) {
      found.push({ id, seed, goal, index: offset + found.length });
    }
  } catch (error) {
    if (errorCode(error) !== "unknown-name" || !(error instanceof EngineError)) throw error;
    return { status: 404, json: { detail: error.message } };
  }
  return ok({ tasks: found });
}

/** What a demonstrator would do. It has seen what the client has seen: the past comes with the question. */
async function advise(world: ServedWorld, body: string): Promise<RouteReply> {
  const asked = AdviceData.safeParse(bodyOf(body));
  if (!asked.success) return { status: 422, json: { detail: z.prettifyError(asked.error) } };
  const { demonstrator: id, seed, past, ...place } = asked.data;
  try {
    const demonstrator = lookUp(world.demonstrators ?? {}, id, "demonstrator");
    const seen = past.map(({ action, observation, admissible }) => ({
      action: action ?? undefined,
      observation,
      admissible: admissible ?? undefined,
    }));
    return ok({ action: (await advice(demonstrator, await chooseTask(world, place), seen, createRng(seed))) ?? null });
  } catch (error) {
    // A script that meets a past it does not understand may throw whatever it likes.
    return { status: 422, json: { detail: error instanceof Error ? error.message : String(error) } };
  }
}

/** A world of its own for the request, gone with the answer; the protocol has it so. */
async function reset(world: ServedWorld, body: string): Promise<RouteReply> {
  const session = createSession(world);
  try {
    const { message } = await session.handle(resetMessage(body));
    const data = (message?.["data"] ?? {}) as JsonObject;
    return message?.["type"] === "observation" ? ok(data) : { status: 422, json: { detail: data } };
  } finally {
    await session.close();
  }
}

/** What can be read may still be nested too deeply to be written; the session then says what is wrong with it. */
function resetMessage(body: string): string {
  try {
    return JSON.stringify({ type: "reset", data: bodyOf(body) });
  } catch {
    return JSON.stringify({ type: "reset", data: "nested too deeply" });
  }
}

function bodyOf(text: string): unknown {
  return text === "" ? {} : (parseJson(text) ?? null);
}
