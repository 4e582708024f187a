import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";

test("over HTTP it says where it listens and what agents show, and ends", async () => {
  const { code, objects } = await limbeck(["mcp", "--http", "--port", "0", "--for", "0", "--json"]);
  expect(code).toBe(0);
  expect(objects()).toMatchObject([
    { event: "listening", url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/) as string },
  ]);
  expect(String(objects()[0]?.["token"]).length).toBeGreaterThan(20);
});

test("a token that can be guessed is refused", async () => {
  const { code, err } = await limbeck(["mcp", "--http", "--port", "0", "--token", "abc"]);
  expect([code, err.includes("16 letters")]).toEqual([2, true]);
});
