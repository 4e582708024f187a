import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { openTokens } from "limbeck-base/base/tokens-file";

const newFolder = temporaryFolders();

test("a token is made, listed without itself, and removed", async () => {
  const file = join(await newFolder(), "tokens.json");
  const tokens = (...words: string[]) => limbeck(["tokens", ...words, "--tokens", file]);
  const made = await tokens("add", "ann", "--role", "write");
  const token = made.out.trim();
  expect([made.code, token]).toEqual([0, expect.stringMatching(/^limbeck_[\w-]{32}$/)]);
  expect(openTokens(file).find(token)).toEqual({ name: "ann", role: "write" });
  const [added] = (await tokens("add", "nightly", "--role", "train", "--ends", "2999-01-31", "--json")).objects();
  expect(added).toMatchObject({ name: "nightly", role: "train", ends: "2999-01-31T00:00:00.000Z" });
  const listed = await tokens("list");
  expect(listed.out).toMatch(/^name +role +made +ends\n.*\nann +write/);
  expect(listed.out).not.toContain(token);
  expect((await tokens("list", "--json")).objects()).toMatchObject([{ name: "ann", ends: null }, { name: "nightly" }]);
  expect((await tokens("remove", "ann")).code).toBe(0);
  expect(openTokens(file).find(token)).toBeUndefined();
});

test("what is missing or wrong is said", async () => {
  const file = join(await newFolder(), "tokens.json");
  const tokens = (...words: string[]) => limbeck(["tokens", ...words, "--tokens", file]);
  expect((await tokens("add", "ann")).err).toContain("needs --role: read, write, train");
  expect((await tokens("add", "ann", "--role", "wirte")).err).toContain('Did you mean "write"?');
  expect((await tokens("add", "--role", "read")).err).toContain("needs a name");
  expect((await tokens("add", "ann", "--role", "read", "--ends", "soon")).err).toContain("must be a date");
  expect((await tokens("list")).err).toContain("cannot be read");
  expect((await tokens("give", "ann")).code).not.toBe(0);
});
