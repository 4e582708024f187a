import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createCorridor } from "limbeck-core/env/corridor";
import { startEnvServer, type EnvServer } from "../server.ts";
import { plainAction } from "../action-codec.ts";
import { checkOpenEnvServer } from "./run.ts";

let server: EnvServer;
const closing: (() => void)[] = [];
beforeAll(async () => {
  server = await startEnvServer({ env: createCorridor() });
});
afterAll(async () => {
  for (const close of closing) close();
  await server.close();
});

test("our own server is green and has none of the known faults", async () => {
  const { green, world, results } = await checkOpenEnvServer({ url: server.url });
  const others = results
    .filter(({ outcome }) => outcome !== "passes")
    .map(({ name, outcome, note }) => [name, outcome, note]);
  expect(others).toEqual([["mcp", "lacks", "no tools (-32601)"]]);
  expect([green, world]).toEqual([true, "corridor"]);
});

type Message = { type: string; data: Record<string, unknown> };

/** The server with one habit changed by somebody in between; `undefined` swallows a message. */
async function spoiled(change: (message: Message) => Message | undefined): Promise<string> {
  const http = createServer((request, response) => {
    void fetch(server.url + (request.url ?? "")).then(async (answer) => {
      const { limbeck: _, ...body } = (await answer.json()) as Record<string, unknown>;
      response.end(JSON.stringify(body));
    });
  });
  const sockets = new WebSocketServer({ server: http, path: "/ws" });
  sockets.on("connection", (near) => {
    const far = new WebSocket(`${server.url.replace("http", "ws")}/ws`);
    const early: string[] = [];
    near.on("message", (data) => {
      if (far.readyState === far.OPEN) far.send((data as Buffer).toString());
      else early.push((data as Buffer).toString());
    });
    far.on("open", () => {
      for (const text of early) far.send(text);
    });
    far.on("message", (data) => {
      const message = change(JSON.parse((data as Buffer).toString()) as Message);
      if (message !== undefined) near.send(JSON.stringify(message));
    });
    near.on("close", () => far.close());
    far.on("close", () => near.close(1000));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

const coded = (from: string, to: string) => (message: Message) =>
  message.data["code"] === from ? { ...message, data: { ...message.data, code: to } } : message;

let counter = 0;
const faults: Readonly<
  Record<string, readonly [name: string, note: RegExp, change: (message: Message) => Message | undefined]>
> = {
  "an observation that is a text": [
    "step",
    /observation is not an object/,
    (message) =>
      message.type === "observation" ? { ...message, data: { ...message.data, observation: "x" } } : message,
  ],
  "refusals of another name": ["unknown-type", /EXECUTION_ERROR/, coded("UNKNOWN_TYPE", "EXECUTION_ERROR")],
  "validation without its errors": [
    "unknown-field",
    /errors is not a list/,
    (message) => (message.type === "error" ? { ...message, data: { ...message.data, errors: null } } : message),
  ],
  "steps that are not reset": [
    "reset-again",
    /step_count is 1/,
    (message) => (message.type === "state" ? { ...message, data: { step_count: 1 } } : message),
  ],
  "worlds that change by themselves": [
    "same-seed",
    /the second time was another/,
    (message) => {
      counter += 1;
      return message.type === "observation" ? { ...message, data: { ...message.data, reward: counter } } : message;
    },
  ],
  "extensions that are not announced": ["snapshot-probe", /not announced/, (message) => message],
  silence: ["state", /did not come within/, (message) => (message.type === "observation" ? undefined : message)],
};

test.each(Object.entries(faults))("notices %s", async (_, [name, note, change]) => {
  const timeoutMs = name === "state" ? 300 : 5_000;
  const { green, results } = await checkOpenEnvServer({ url: await spoiled(change), only: [name], timeoutMs });
  expect(results).toEqual([expect.objectContaining({ name, outcome: "differs", note: expect.stringMatching(note) })]);
  expect(green).toBe(results[0]?.kind !== "required");
});

test("a case that does not exist is told before the server is asked", async () => {
  await expect(checkOpenEnvServer({ url: "ws://127.0.0.1:1", only: ["rset"] })).rejects.toThrow(/Did you mean "reset"/);
});

test("an action is made from a schema: required fields, first values, plain types", () => {
  const properties = {
    move: { $ref: "#/$defs/Move" },
    count: { type: "integer", minimum: 2 },
    sure: { type: "boolean" },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    optional: { type: "string" },
  };
  const schema = { properties, required: ["move", "count", "sure", "note"], $defs: { Move: { enum: ["UP", "DOWN"] } } };
  expect(plainAction(schema)).toEqual({ move: "UP", count: 2, sure: false, note: "hello" });
  expect(plainAction({ properties: { tool_name: {}, arguments: {} } })).toEqual({ type: "list_tools" });
});
