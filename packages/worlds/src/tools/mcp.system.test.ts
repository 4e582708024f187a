import { describe, expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { tries } from "../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import type { Env, Episode } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import { callAction } from "limbeck-base/trajectory/tool-action";
import { DEMONSTRATORS } from "./expert.ts";
import { tools } from "./index.ts";
import { mcpSessions } from "./mcp-session.ts";
import { shopTransport } from "./mcp-transport.ts";
import { scenarioOf } from "./scenario.ts";
import { createTools } from "./tools-env.ts";

const shop = builtChild("mcp-shop");
const overMcp = createTools({ session: mcpSessions({ connect: shopTransport, replayable: true }) });

/** Everything a watcher sees of an episode. */
async function watch(env: Env, task: Task, demonstrator: Demonstrator) {
  const episode = await env.open(task);
  const demonstration = demonstrator.start(task, createRng(0));
  const seen: unknown[] = [[episode.observation, episode.stateKey, episode.tools]];
  let action: string | undefined;
  while (episode.ending === undefined) {
    // A mistake of each kind on the way, so that refusals are compared too.
    const chosen = demonstration.next({ action, observation: episode.observation });
    action = MISTAKES[seen.length] ?? chosen;
    const result = await episode.step(action);
    seen.push([action, result, episode.stateKey, episode.reward, episode.success]);
  }
  await episode.close();
  return { seen, success: episode.success };
}
const MISTAKES: Readonly<Record<number, string>> = {
  2: callAction("get_order_details", { order_id: 5 }),
  3: callAction("get_user_detail", {}),
  5: callAction("cancel_pending_order", { order_id: "#W0", reason: "no longer needed" }),
};

describe("the MCP variant gives the same trajectories", () => {
  test.each(Object.values(DEMONSTRATORS))("in this process: $id", async (demonstrator) => {
    const inProcess = createTools();
    const won: (boolean | null)[] = [];
    for await (const task of inProcess.tasks("train", { count: tries(12, 18) })) {
      const run = await watch(overMcp, task, demonstrator);
      expect(run).toEqual(await watch(inProcess, task, demonstrator));
      won.push(run.success);
    }
    // Both outcomes occur, so that equality says something about the reward too.
    expect(won).toContain(true);
    expect(won.includes(false)).toBe(demonstrator.id !== "expert");
  });
  test("over a real child process", async () => {
    const args = [shop(), "--seed", "{seed}", "--remainder", "{remainder}"];
    const env = await tools.create({ opening: "full", server: { command: process.execPath, args, replayable: true } });
    const inProcess = createTools();
    for await (const task of inProcess.tasks("valid", { offset: 66, count: 2 })) {
      expect(await watch(env, task, DEMONSTRATORS.expert)).toEqual(await watch(inProcess, task, DEMONSTRATORS.expert));
    }
  });
  test("a fork over MCP goes its own way from the same point", async () => {
    const [task] = overMcp.tasks("train", { count: 1 }) as Iterable<Task>;
    const [write] = scenarioOf(task!).reference;
    const original = await overMcp.open(task!);
    await original.step(callAction("list_product_types", {}));
    const fork = await original.fork();
    expect(fork.stateKey).toBe(original.stateKey);
    await fork.step(callAction(write!.name, write!.arguments));
    expect(fork.stateKey).not.toBe(original.stateKey);
    const { observation } = await original.step(
      callAction("get_order_details", { order_id: write!.arguments["order_id"]! }),
    );
    expect(observation).toContain('"status":"pending"');
    for (const episode of [fork, original]) await episode.close();
  });
});

function candidates(episode: Episode): string[] {
  const { reference } = scenarioOf(episode.task);
  return [
    "Which order, which item, which payment method?",
    "Order done. Anything else?",
    callAction("list_product_types", {}),
    ...reference.map((call) => callAction(call.name, call.arguments)),
  ];
}
envContract({
  name: "tools over MCP",
  env: overMcp,
  runner: { describe, test },
  candidates,
  invalidActions: ["", "{", callAction("get_order_details", { order_id: "#W0" }), callAction("nothing", {})],
  tasks: [...(overMcp.tasks("test", { count: 2 }) as Iterable<Task>)],
  runs: tries(2, 4),
  maxActions: 6,
});
