/** Servers of other makes: what their schemas and tools say to an agent. */
import { expect, test } from "vitest";
import { rudeWorld, say, show } from "../../../../test/support/rude-world.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createOpenEnv } from "./client.ts";

const TASK: Task = { id: "t", env: "openenv", seed: 3, goal: "", split: "train" };

function schemaRoute(action: object) {
  return { "/schema": JSON.stringify({ action, observation: {}, state: {} }) };
}

test("the values a schema lists are the admissible actions, until the end", async () => {
  const move = { type: "string", enum: ["UP", "DOWN"] };
  const sent: unknown[] = [];
  const url = await rudeWorld({
    routes: schemaRoute({ properties: { move: { $ref: "#/$defs/Move" } }, required: ["move"], $defs: { Move: move } }),
    answer: (socket, { type, data }) => {
      if (type === "step") sent.push(data);
      show(socket, { x: sent.length, y: 0 }, sent.length, type === "step");
    },
  });
  const episode = await (await createOpenEnv({ url })).open(TASK);
  expect([episode.observation, episode.admissible()]).toEqual(['{"x":0,"y":0}', ["UP", "DOWN"]]);
  expect(await episode.step("DOWN")).toMatchObject({
    observation: '{"x":1,"y":0}',
    ending: "terminated",
    success: null,
  });
  expect([sent, episode.admissible()]).toEqual([[{ move: "DOWN" }], []]);
});

test("a world of tools lists them for the agent and takes calls", async () => {
  const sent: unknown[] = [];
  const url = await rudeWorld({
    routes: schemaRoute({ properties: { type: {}, tool_name: { type: "string" }, arguments: { type: "object" } } }),
    answer: (socket, { type, data }) => {
      sent.push(data);
      const tools = [
        { name: "echo", description: "Says it\u0007 again.", inputSchema: { type: "object" } },
        "nonsense",
      ];
      if (type === "mcp") say(socket, "mcp", { jsonrpc: "2.0", id: 1, result: { tools } });
      else show(socket, type === "reset" ? {} : { tool_name: "echo", result: "hi", error: null });
    },
  });
  const episode = await (await createOpenEnv({ url })).open(TASK);
  expect(episode.tools).toEqual([
    {
      type: "function",
      function: { name: "echo", description: "Says it\uFFFD again.", parameters: { type: "object" } },
    },
  ]);
  const result = await episode.step('{"name": "echo", "arguments": {"message": "hi"}}');
  expect(result.observation).toBe('{"tool_name":"echo","result":"hi","error":null}');
  expect(sent.at(-1)).toEqual({ type: "call_tool", tool_name: "echo", arguments: { message: "hi" } });
  expect((await episode.step("hi")).valid).toBe(false);
  await episode.close();
});
