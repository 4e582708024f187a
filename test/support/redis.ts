/** A real Redis server for a test, in a folder and on a port of its own. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

export const redisThere = spawnSync("redis-server", ["--version"]).status === 0;

/** Stands at the end of the title of tests that are skipped without it. */
export const NEEDS_REDIS = "needs redis-server: apt-get install redis-server";

export interface TestRedis {
  readonly url: string;
  start(): Promise<void>;
  /** Gone at once, with everything it knew. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export async function startRedis(): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-redis-"));
  // Another process may take a free port first; its server would answer in the place of this one.
  for (;;) {
    const port = await freePort();
    const server = serverOn(port, folder);
    if (!(await server.start())) continue;
    return {
      url: `redis://127.0.0.1:${port}`,
      start: async () => {
        if (!(await server.start())) throw new Error(`Port ${port} was taken while Redis was down.`);
      },
      kill: server.kill,
      close: async () => {
        await server.kill();
        await rm(folder, { recursive: true, force: true });
      },
    };
  }
}

function serverOn(port: number, folder: string) {
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  /** False where another server answers. */
  const start = async (): Promise<boolean> => {
    const options = [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
      "--dir",
      folder,
    ];
    child = spawn("redis-server", options, { stdio: "ignore" });
    const client = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null, retryStrategy: () => 50 });
    client.on("error", () => undefined);
    const answers = await client.info("server");
    client.disconnect();
    const isOurs = answers.includes(`process_id:${child.pid}\r`);
    if (!isOurs) await kill();
    return isOurs;
  };
  return { start, kill };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
