import { createServer } from "node:http";
import { expect, test } from "vitest";
import { closeServer, isLoopback, listenAt } from "./listen.ts";

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

test.each(["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])("%s is this machine", (host) =>
  expect(isLoopback(host)).toBe(true),
);
test.each(["0.0.0.0", "::", "127.0.0.1.example.org", "localhost.example.org", "[::1", "10.0.0.1", ""])(
  '"%s" may be reached from elsewhere',
  (host) => expect(isLoopback(host)).toBe(false),
);
