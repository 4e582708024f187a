import { on, once } from "node:events";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createCorridor } from "limbeck-core/env/corridor";
import { wrapEnv, wrapEpisode } from "limbeck-core/env/wrap";
import { startEnvServer, type EnvServer } from "./server.ts";

let server: EnvServer;
const others: EnvServer[] = [];
beforeAll(async () => {
  server = await startEnvServer({ env: createCorridor() });
});
afterAll(() => Promise.all([server, ...others].map((one) => one.close())));

type Answer = { type: string; data: Record<string, unknown> };

/** A plain client: `ask` sends and waits for the next message. */
async function connect(to = server, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${to.url.replace("http", "ws")}/ws`, { headers });
  const [closed, messages] = [once(socket, "close"), on(socket, "message")];
  await once(socket, "open");
  const next = async () => {
    const { value } = (await messages.next()) as { value: [Buffer] };
    return JSON.parse(value[0].toString()) as Answer;
  };
  const ask = async (type: string, data?: object) => {
    socket.send(JSON.stringify({ type, data }));
    return await next();
  };
  return { socket, next, ask, closed: closed.then(([code]) => code as number) };
}

const seen = ({ data }: Answer) => (data["observation"] as { text: string }).text;

test("seeds choose tasks round and round, and without one they are handed out in order", async () => {
  const own = await startEnvServer({ env: createCorridor() });
  others.push(own);
  const { socket, ask } = await connect(own);
  const taskOf = async (data: object) => {
    await ask("reset", data);
    return (await ask("state")).data["task_id"];
  };
  // The split has 8 tasks, so seed 11 is number 3.
  expect(await taskOf({ seed: 11 })).toBe("corridor-train-3");
  expect(await taskOf({ seed: 11, split: "valid" })).toBe("corridor-valid-3");
  expect(await taskOf({ split: "valid", index: 2 })).toBe("corridor-valid-2");
  expect([await taskOf({}), await taskOf({})]).toEqual(["corridor-train-0", "corridor-train-1"]);
  const beyond = await ask("reset", { split: "valid", index: 4 });
  expect(beyond.data).toMatchObject({ code: "VALIDATION_ERROR", message: expect.stringContaining("4 tasks") });
  socket.close();
});

test("a step after the end is refused, and the connection can go on with another episode", async () => {
  const { socket, ask } = await connect();
  await ask("reset", { seed: 0 });
  for (let step = 0; step < 2; step += 1) await ask("step", { text: "go east" });
  const won = await ask("step", { text: "go east" });
  expect(won.data).toMatchObject({ reward: 1, done: true, observation: { ending: "terminated", success: true } });
  expect((await ask("step", { text: "go east" })).data).toMatchObject({
    code: "EXECUTION_ERROR",
    reason: "episode-ended",
  });
  expect(seen(await ask("reset", { seed: 0 }))).toBe("Room 1.");
  socket.close();
});

test("snapshots outlive their episode, not their connection, and strangers cannot release them", async () => {
  const [first, second] = [await connect(), await connect()];
  await first.ask("reset", { seed: 0 });
  await first.ask("step", { text: "go east" });
  const { data } = await first.ask("snapshot");
  await first.ask("reset", { seed: 1 });
  expect(seen(await second.ask("restore", data))).toBe("Room 2.");
  expect((await second.ask("state")).data["step_count"]).toBe(1);
  expect((await second.ask("release", data)).type).toBe("released");
  expect(seen(await second.ask("restore", data))).toBe("Room 2.");
  first.socket.close();
  await vi.waitFor(async () => {
    expect((await second.ask("restore", data)).data).toMatchObject({ reason: "unknown-snapshot" });
  });
  expect(seen(await second.ask("step", { text: "go west" }))).toBe("Room 1.");
  second.socket.close();
});

test("a place is free again when its client is gone without a word", async () => {
  const small = await startEnvServer({ env: createCorridor(), maxSessions: 1 });
  others.push(small);
  const { socket, ask } = await connect(small);
  await ask("reset");
  const refused = await connect(small);
  expect((await refused.next()).data).toMatchObject({ code: "CAPACITY_REACHED", active_sessions: 1, max_sessions: 1 });
  expect(await refused.closed).toBe(1000);
  socket.terminate();
  await vi.waitFor(() => expect(small.sessions()).toBe(0));
});

test("a client that answers no ping is let go", async () => {
  const strict = await startEnvServer({ env: createCorridor(), silenceMs: 20 });
  others.push(strict);
  const socket = new WebSocket(`${strict.url.replace("http", "ws")}/ws`, { autoPong: false });
  await once(socket, "close");
  await vi.waitFor(() => expect(strict.sessions()).toBe(0));
});

test("a client that never waits for answers is sent away", async () => {
  const { socket, closed } = await connect();
  for (let message = 0; message < 500; message += 1) socket.send('{"type": "reset"}');
  expect(await closed).toBe(1008);
});

test("a message that is too large ends the connection, not the server", async () => {
  const { socket, closed } = await connect();
  socket.on("error", () => undefined);
  socket.send(JSON.stringify({ type: "step", data: { text: "a".repeat(5_000_000) } }));
  expect(await closed).toBe(1009);
  const again = await connect();
  expect(seen(await again.ask("reset"))).toContain("Room");
  again.socket.close();
});

test("a world that breaks says so to its client, and why to whoever runs it", async () => {
  const problems: string[] = [];
  const broken = wrapEnv(createCorridor(), (episode) =>
    wrapEpisode(episode, {
      step: () => Promise.reject(new Error("the secret reason")),
      fork: () => Promise.resolve(episode),
    }),
  );
  const own = await startEnvServer({ env: broken, onProblem: (message) => problems.push(message) });
  others.push(own);
  const { socket, ask } = await connect(own);
  await ask("reset");
  expect((await ask("step", { text: "go east" })).data).toEqual({
    code: "EXECUTION_ERROR",
    message: "The world failed.",
  });
  expect(problems).toEqual(["the secret reason"]);
  socket.close();
});

test("pages of other sites are kept out, and names that point here are too", async () => {
  const status = async (headers: Record<string, string>) => {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`, { headers });
    const [error] = (await once(socket, "error")) as [Error];
    return error.message;
  };
  expect(await status({ origin: "https://evil.example" })).toContain("403");
  expect(await status({ host: "evil.example" })).toContain("403");
  const own = await connect(server, { origin: server.url });
  own.socket.close();
  const strange = new WebSocket(`${server.url.replace("http", "ws")}//`);
  const [error] = (await once(strange, "error")) as [Error];
  expect(error.message).toContain("404");
});

test("beyond this machine it asks for a key or an open door", async () => {
  await expect(startEnvServer({ env: createCorridor(), host: "0.0.0.0" })).rejects.toMatchObject({ code: "needs-key" });
  await expect(startEnvServer({ env: createCorridor(), port: server.port })).rejects.toMatchObject({
    code: "port-taken",
  });
});

test("the routes tell what it is, and refuse what they do not have", async () => {
  const get = async (path: string) => {
    const response = await fetch(server.url + path);
    return [response.status, await response.json()] as const;
  };
  expect(await get("/metadata")).toEqual([
    200,
    expect.objectContaining({
      name: "corridor",
      limbeck: {
        demonstrators: [],
        version: 1,
        snapshot: true,
        maxSteps: 12,
        splits: { train: 8, valid: 4 },
      },
    }),
  ]);
  expect(await get("/tasks?split=valid&offset=3&count=5")).toEqual([
    200,
    { tasks: [{ id: "corridor-valid-3", seed: 3, goal: "Reach room 4.", index: 3 }] },
  ]);
  expect((await get("/tasks?split=nowhere"))[0]).toBe(404);
  expect((await get("/tasks?split=train&count=1e9"))[0]).toBe(422);
  expect((await get("/nothing"))[0]).toBe(404);
});
