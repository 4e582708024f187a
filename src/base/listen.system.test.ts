import { createServer } from "node:http";
import { expect, test } from "vitest";
import { closeServer, listenAt } from "./listen.ts";

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
