/** Points the cases at an OpenEnv server and says how it stands to each. Green: every required case passes. */
import {
  type CaseKind,
  type CaseResult,
  checkCaseNames,
  Differs,
  expectStatus,
  expectThat,
  Lacks,
  onServer,
  runCases,
  type CaseRunOptions,
  type CaseTable,
} from "limbeck-base/base/conformance";
import { canonicalJson, isObject, type JsonObject } from "limbeck-base/base/json";
import { plainAction } from "../action-codec.ts";
import { serverAddress } from "../address.ts";
import { describeServer } from "../discover.ts";
import { createBench, onSocket, STATE, type OpenEnvBench, type RawMessage, type RawSocket } from "./bench.ts";

// What a server says of itself over HTTP, and what its stateless routes do.

const routeCases: CaseTable<OpenEnvBench> = {
  health: onServer('health answers {status: "healthy"}', "required", async (bench) => {
    const answer = await bench.get("/health");
    expectStatus(answer, [200]);
    expectThat(answer.json?.["status"] === "healthy", answer.text.slice(0, 80));
  }),
  metadata: onServer("metadata has a name and a description", "required", async (bench) => {
    const answer = await bench.get("/metadata");
    expectStatus(answer, [200]);
    const { name, description } = answer.json ?? {};
    if (typeof name === "string" && typeof description === "string") return name;
    throw new Differs(answer.text.slice(0, 120));
  }),
  schema: onServer("schema has those of action, observation and state", "required", async (bench) => {
    const answer = await bench.get("/schema");
    expectStatus(answer, [200]);
    const missing = ["action", "observation", "state"].filter((name) => !isObject(answer.json?.[name]));
    expectThat(missing.length === 0, `missing: ${missing.join(", ")}`);
  }),
  "http-reset": onServer("reset over HTTP answers {observation, reward, done}", "profile", async (bench) => {
    const answer = await bench.post("/reset", { seed: 1 });
    if (answer.status === 404) throw new Lacks("no such route");
    expectStatus(answer, [200]);
    expectThat(isObject(answer.json?.["observation"]) && "done" in (answer.json ?? {}), answer.text.slice(0, 120));
  }),
  "http-bad-reset": onServer("a reset over HTTP with a negative seed is 422", "profile", async (bench) => {
    const answer = await bench.post("/reset", { seed: -1 });
    if (answer.status === 404) throw new Lacks("no such route");
    expectStatus(answer, [422]);
  }),
  "http-step-refused": onServer(
    "a step over HTTP, which has no episode to go on with, is refused",
    "fault",
    async (bench) => {
      const { status } = await bench.post("/step", { action: bench.action });
      if (status === 404) throw new Lacks("no such route");
      expectThat(status >= 400, `status ${status}: a fresh world takes the step and is gone`);
      expectThat(status < 500, `status ${status}: the server fails`);
      return `refused with ${status}`;
    },
  ),
};

// Episodes and messages on the socket.

const RESET: JsonObject = { type: "reset", data: { seed: 7 } };
/** More places than this are not asked for. */
const MANY = 16;

function expectError(answer: RawMessage, code: string): void {
  const { code: given } = answer.data;
  const got = answer.type === "error" && typeof given === "string" ? given : answer.type;
  expectThat(got === code, `answered with ${got} where ${code} is expected`);
}

function expectObservation(data: JsonObject): void {
  const { observation, reward, done } = data;
  expectThat(isObject(observation), "observation is not an object");
  expectThat(
    reward === null || typeof reward === "number" || typeof reward === "boolean",
    "reward is no number or null",
  );
  expectThat(typeof done === "boolean", "done is neither true nor false");
}

/** The error, and after it the connection still answers. */
async function refusedAndOpen(socket: RawSocket, text: string, code: string): Promise<RawMessage> {
  socket.send(text);
  const answer = await socket.next();
  expectError(answer, code);
  await socket.want(STATE, "state");
  return answer;
}

/** The answer to a first step. */
async function stepped(socket: RawSocket, bench: OpenEnvBench): Promise<JsonObject> {
  await socket.want(RESET, "observation");
  return await socket.want({ type: "step", data: bench.action }, "observation");
}

/** What is refused with that code, after which the connection still answers. */
function refusal(
  title: string,
  kind: CaseKind,
  text: string | ((bench: OpenEnvBench) => string),
  code: string,
): CaseTable<OpenEnvBench>[string] {
  return onSocket(`${title} is ${code}, and the connection stays`, kind, async (socket, bench) => {
    await refusedAndOpen(socket, typeof text === "string" ? text : text(bench), code);
  });
}

async function stepCount(socket: RawSocket): Promise<number> {
  const { step_count: count } = await socket.want(STATE, "state");
  expectThat(Number.isInteger(count), `step_count is ${JSON.stringify(count)}`);
  return Number(count);
}

const socketCases: CaseTable<OpenEnvBench> = {
  reset: onServer("reset answers {observation, reward, done}", "required", (bench) =>
    bench.withSocket(async (socket) => expectObservation(await socket.want(RESET, "observation"))),
  ),
  "reset-again": onSocket("a second reset on the same connection begins anew", "required", async (socket, bench) => {
    await stepped(socket, bench);
    expectObservation(await socket.want(RESET, "observation"));
    const count = await stepCount(socket);
    expectThat(count === 0, `step_count is ${count} after the second reset`);
  }),
  state: onSocket("state tells step_count", "required", async (socket) => {
    await socket.want(RESET, "observation");
    expectThat((await stepCount(socket)) === 0, "step_count is not 0 after a reset");
  }),
  step: onSocket(
    "a step takes the fields of the action directly and answers like reset",
    "required",
    async (socket, bench) => {
      expectObservation(await stepped(socket, bench));
    },
  ),
  "step-count": onSocket("a step is counted", "profile", async (socket, bench) => {
    await stepped(socket, bench);
    const count = await stepCount(socket);
    expectThat(count === 1, `step_count is ${count} after one step`);
  }),
  "episode-id": onSocket("the episode keeps the id it was reset with", "profile", async (socket) => {
    await socket.want({ type: "reset", data: { seed: 7, episode_id: "conformance-1" } }, "observation");
    const { episode_id: id } = await socket.want(STATE, "state");
    expectThat(id === "conformance-1", `episode_id is ${JSON.stringify(id)?.slice(0, 80)}`);
  }),
  "same-seed": onSocket("the same seed and action give the same observations", "profile", async (socket, bench) => {
    const play = async (): Promise<string> => {
      const first = await socket.want(RESET, "observation");
      return canonicalJson([first, await socket.want({ type: "step", data: bench.action }, "observation")]);
    };
    expectThat((await play()) === (await play()), "the second time was another");
  }),
  "in-order": onSocket("requests sent ahead are answered in order", "required", async (socket, bench) => {
    for (const message of [RESET, STATE, { type: "step", data: bench.action }, STATE]) {
      socket.send(JSON.stringify(message));
    }
    const types = [await socket.next(), await socket.next(), await socket.next(), await socket.next()];
    const order = types.map(({ type }) => type).join(", ");
    expectThat(order === "observation, state, observation, state", `the answers were ${order}`);
  }),
  "invalid-json": refusal("what is not JSON", "required", "{nonsense", "INVALID_JSON"),
  "not-an-object": onSocket("JSON that is no object is an error, and the connection stays", "fault", async (socket) => {
    socket.send("[1, 2]");
    const { type, data } = await socket.next();
    expectThat(type === "error", `answered with ${type}`);
    expectThat(data["code"] !== "SESSION_ERROR", "SESSION_ERROR, and the episode is gone");
    await socket.want(STATE, "state");
  }),
  "unknown-type": refusal("an unknown type", "required", '{"type": "conformance"}', "UNKNOWN_TYPE"),
  "unknown-field": onSocket(
    "an action with an unknown field is VALIDATION_ERROR with its errors, and the connection stays",
    "required",
    async (socket, bench) => {
      await socket.want(RESET, "observation");
      const text = JSON.stringify({ type: "step", data: { ...bench.action, conformance_unknown: 1 } });
      const { errors } = (await refusedAndOpen(socket, text, "VALIDATION_ERROR")).data;
      expectThat(Array.isArray(errors) && errors.length > 0, "errors is not a list");
    },
  ),
  "missing-field": onSocket(
    "an action without a required field is VALIDATION_ERROR, and the connection stays",
    "required",
    async (socket, bench) => {
      const { required } = bench.server.actionSchema;
      if (!Array.isArray(required) || required.length === 0) return "no field is required";
      await socket.want(RESET, "observation");
      await refusedAndOpen(socket, '{"type": "step", "data": {}}', "VALIDATION_ERROR");
      return undefined;
    },
  ),
  "bad-seed": refusal(
    "a reset with a negative seed",
    "profile",
    '{"type": "reset", "data": {"seed": -1}}',
    "VALIDATION_ERROR",
  ),
  "step-before-reset": refusal(
    "a step before the first reset",
    "profile",
    ({ action }) => JSON.stringify({ type: "step", data: action }),
    "EXECUTION_ERROR",
  ),
  ping: onServer("a ping is answered", "required", (bench) => bench.withSocket((socket) => socket.ping())),
  close: onSocket("close ends the connection", "required", async (socket) => {
    socket.send('{"type": "close"}');
    return `code ${await socket.closed()}`;
  }),
  places: onServer(
    `either ${MANY} episodes at once, or CAPACITY_REACHED and a close with code 1000`,
    "required",
    async (bench) => {
      const held: RawSocket[] = [];
      try {
        while (held.length < MANY) {
          const socket = await bench.connect();
          held.push(socket);
          const answer = await socket.ask(STATE);
          if (answer.type === "state") continue;
          expectError(answer, "CAPACITY_REACHED");
          expectThat(Number.isInteger(answer.data["max_sessions"]), "max_sessions is missing");
          const code = await socket.closed();
          expectThat(code === 1000, `closed with code ${code}`);
          return `${held.length - 1} at once`;
        }
        return `at least ${MANY}`;
      } finally {
        for (const socket of held) await socket.close();
      }
    },
  ),
  separate: onSocket("two connections play two episodes", "profile", async (first, bench) => {
    const second = await bench.connect();
    try {
      const { type, data } = await second.ask(RESET);
      if (data["code"] === "CAPACITY_REACHED") throw new Lacks("one place");
      expectThat(type === "observation", `the second was answered with ${type}`);
      await stepped(first, bench);
      const count = await stepCount(second);
      expectThat(count === 0, `step_count of the other is ${count}`);
    } finally {
      await second.close();
    }
  }),
  mcp: onSocket("tools/list over the socket is answered in JSON-RPC", "profile", async (socket) => {
    await socket.want(RESET, "observation");
    const data = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const { result, error } = await socket.want({ type: "mcp", data }, "mcp");
    if (isObject(result) && Array.isArray(result["tools"])) return `${result["tools"].length} tools`;
    if (isObject(error)) throw new Lacks(`no tools (${JSON.stringify(error["code"])})`);
    throw new Differs("neither result nor error");
  }),
};

// Our extensions: announced in the metadata, and refused with UNKNOWN_TYPE by everybody else.

function announced({ server }: OpenEnvBench): NonNullable<OpenEnvBench["server"]["extension"]> {
  if (server.extension === undefined) throw new Lacks("not announced");
  return server.extension;
}

const extensionCases: CaseTable<OpenEnvBench> = {
  tasks: onServer("the announced splits list their tasks, always the same", "profile", async (bench) => {
    const [split] = Object.keys(announced(bench).splits);
    const path = `/tasks?split=${encodeURIComponent(split ?? "")}&offset=0&count=2`;
    const [first, again] = [await bench.get(path), await bench.get(path)];
    expectThat(first.status === 200 && Array.isArray(first.json?.["tasks"]), first.text.slice(0, 120));
    expectThat(first.text === again.text, "the second list is another");
  }),
  snapshot: onServer(
    "a snapshot restored on a second connection shows the same and goes on by itself",
    "profile",
    async (bench) => {
      if (!announced(bench).snapshot) throw new Lacks("announced as missing");
      await bench.withSocket(async (original) => {
        const begun = await original.want(RESET, "observation");
        const taken = await original.want({ type: "snapshot" }, "snapshot");
        await bench.withSocket(async (copy) => {
          const restored = await copy.want({ type: "restore", data: taken }, "observation");
          const same = canonicalJson(restored["observation"] ?? null) === canonicalJson(begun["observation"] ?? null);
          expectThat(same, "the restored observation is another");
          await copy.want({ type: "step", data: bench.action }, "observation");
          const { step_count: count } = await original.want(STATE, "state");
          expectThat(count === 0, "a step of the copy moved the original");
        });
        await original.want({ type: "release", data: taken }, "released");
        const gone = await original.ask({ type: "restore", data: taken });
        expectThat(gone.type === "error", "a released snapshot can still be restored");
      });
    },
  ),
  "snapshot-probe": onSocket("whoever has no snapshots answers UNKNOWN_TYPE", "profile", async (socket, bench) => {
    await socket.want(RESET, "observation");
    const { type, data } = await socket.ask({ type: "snapshot" });
    const has = bench.server.extension?.snapshot === true;
    if (has) expectThat(type === "snapshot", `announced, but answered with ${type}`);
    else expectThat(data["code"] === "UNKNOWN_TYPE", `not announced, but answered with ${type}`);
    return has ? "has them" : "has none";
  }),
};

export const openEnvCases: CaseTable<OpenEnvBench> = { ...routeCases, ...socketCases, ...extensionCases };

export interface OpenEnvConformanceOptions extends CaseRunOptions {
  readonly url: string;
  readonly key?: string | undefined;
  /** An action the world accepts after a reset. Default: made from the server's schema. */
  readonly action?: JsonObject | undefined;
  /** For one answer. Default: 10 seconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenEnvReport {
  readonly green: boolean;
  /** What the server calls its world. */
  readonly world: string;
  readonly results: readonly CaseResult[];
}

/**
 * Tries the cases on a server. `green`: every required one passes.
 *
 * @example
 * import { startEnvServer } from "limbeck/env";
 *
 * const server = await startEnvServer({ env: await openEnv("countdown") });
 * const { results } = await checkOpenEnvServer({ url: server.url, only: ["health"] });
 * console.log(results.map(({ name, outcome }) => `${name} ${outcome}`)); // [ "health passes" ]
 * await server.close();
 */
export async function checkOpenEnvServer(options: OpenEnvConformanceOptions): Promise<OpenEnvReport> {
  const { only, onResult, signal, timeoutMs = 10_000 } = options;
  checkCaseNames(openEnvCases, only);
  const address = serverAddress(options.url, options.key);
  const server = await describeServer(address, { connectTimeoutMs: timeoutMs, timeoutMs }, signal);
  const action = options.action ?? plainAction(server.actionSchema);
  const bench = createBench({ address, server, action, timeoutMs, signal });
  const { green, results } = await runCases(openEnvCases, bench, { only, onResult });
  return { green, world: server.name, results };
}
