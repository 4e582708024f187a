import { createServer } from "node:http";
import { expect, test } from "vitest";
import { closeServer, listenAt } from "./listen.ts";

test("port 0 is any free port, and the address answers until it is closed", async () => {
  const server = createServer((_, response) => response.end("here"));
  const { port, url } = await listenAt(server, { host: "127.0.0.1", port: 0 }, "The server");
  expect(port).toBeGreaterThan(0);
  expect(url).toBe(`http://127.0.0.1:${port}`);
  expect(await (await fetch(url)).text()).toBe("here");
  await closeServer(server);
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("a request that hangs does not hold up the end", async () => {
  const server = createServer(() => undefined);
  const { url } = await listenAt(server, { host: "127.0.0.1", port: 0 }, "The server");
  const asked = new Promise((resolve) => void server.once("request", resolve));
  const answer = fetch(url).catch(() => "cut");
  await asked;
  await closeServer(server);
  expect(await answer).toBe("cut");
});

test("a port that is taken and an address of another machine are refused in words", async () => {
  const [first, second] = [createServer(), createServer()];
  const { port } = await listenAt(first, { host: "127.0.0.1", port: 0 }, "The first");
  await expect(listenAt(second, { host: "127.0.0.1", port }, "The second")).rejects.toMatchObject({
    code: "port-taken",
    message: `The second cannot listen: port ${port} of 127.0.0.1 is taken. Give another port, or 0 for any.`,
  });
  // 192.0.2.0/24 is kept for examples; no machine has such an address.
  await expect(listenAt(second, { host: "192.0.2.1", port: 0 }, "The second")).rejects.toMatchObject({
    code: "bad-address",
    message: expect.stringContaining("The second cannot listen at 192.0.2.1, port 0 (EADDRNOTAVAIL).") as string,
  });
  await closeServer(first);
});
