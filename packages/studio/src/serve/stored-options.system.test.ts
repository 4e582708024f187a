/** A run folder from somebody else: its options start no program and name no address that is called. */
import { access } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { studioClient, type Client } from "../../../../test/support/studio-client.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { closeServer, listenAt } from "limbeck-base/base/listen";
import { getWorld } from "limbeck-worlds/index";
import { openStore } from "limbeck-store/store/open-store";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";

const newFolder = temporaryFolders();
let client: Client | undefined;
afterEach(async () => {
  await client?.studio.close();
  client = undefined;
});

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function toolsTask(): Promise<Task> {
  const env = await (await getWorld("tools")).create();
  for await (const task of env.tasks("train", { count: 1 })) return task;
  throw new Error("no task");
}

/** A store with one run, made of what its sender wrote. */
async function receivedRun(config: JsonObject, task: Task): Promise<string> {
  const root = await newFolder();
  const store = openStore(root);
  const writer = await store.createRun({ id: "theirs", kind: "rollout", config });
  await writer.append(sampleTrajectory("t", { task }));
  await writer.close();
  await store.close();
  return root;
}

const open = { body: { run: "theirs", trajectory: "t", step: 0 } };

/** Node, told to write a file: what any program could do. */
function leavesMark(mark: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: ["-e", `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`] };
}

test.each(["rollout", "train"] as const)("the program a stored %s names is not started", async (kind) => {
  const mark = join(await newFolder(), "mark");
  const options = { server: leavesMark(mark) };
  // Rollouts store the options beside the world's name, trainings behind it.
  const config =
    kind === "rollout" ? { env: "tools", envOptions: options } : { env: `tools ${JSON.stringify(options)}` };
  client = await studioClient({ root: await receivedRun(config, await toolsTask()) });
  const refused = await client.fail("openGame", open);
  expect(await exists(mark)).toBe(false);
  expect(refused).toMatchObject({ status: 403, code: "command-refused" });
  for (const word of ["theirs", process.execPath, "writeFileSync", "limbeck studio --allow-commands"]) {
    expect(refused.message).toContain(word);
  }
});

test("with the word of the person who started the studio it is", async () => {
  const mark = join(await newFolder(), "mark");
  const config = { env: "tools", envOptions: { server: leavesMark(mark) } } as unknown as JsonObject;
  const root = await receivedRun(config, await toolsTask());
  // Addresses are another thing than programs.
  client = await studioClient({ root, allowAddresses: true });
  expect((await client.fail("openGame", open)).code).toBe("command-refused");
  await client.studio.close();
  client = await studioClient({ root, allowCommands: true });
  // It speaks no protocol, so the game fails; by then it has run.
  expect((await client.fail("openGame", open)).code).not.toBe("command-refused");
  expect(await exists(mark)).toBe(true);
});

test.each([
  ["openenv", "url"],
  ["research", "retriever"],
] as const)("the address a stored run of %s names is called only with that person's word", async (env, option) => {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.writeHead(404).end();
  });
  const { url } = await listenAt(server, { host: "127.0.0.1", port: 0 }, "The stranger");
  try {
    const envOptions = { [option]: url, ...(env === "openenv" ? { attempts: 1 } : { timeoutMs: 1_000 }) };
    const task = { id: "a", env, seed: 1, goal: "", split: "train" };
    const root = await receivedRun({ env, envOptions }, task);
    client = await studioClient({ root });
    const refused = await client.fail("openGame", open);
    expect([refused.status, refused.code, calls]).toEqual([403, "address-refused", 0]);
    for (const word of ["theirs", url, "limbeck studio --allow-addresses"]) expect(refused.message).toContain(word);
    await client.studio.close();
    client = await studioClient({ root, allowAddresses: true });
    expect((await client.fail("openGame", open)).code).not.toBe("address-refused");
  } finally {
    await closeServer(server);
  }
});
