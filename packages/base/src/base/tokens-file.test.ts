import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { addToken, listTokens, openTokens, removeToken } from "./tokens-file.ts";

const newFolder = temporaryFolders();
const newFile = async (): Promise<string> => join(await newFolder(), "deep", "tokens.json");

test("a token is found by what was shown once; the file holds its salted hash and nothing else of it", async () => {
  const file = await newFile();
  const [ann, bob] = [
    await addToken(file, { name: "ann", role: "read" }),
    await addToken(file, { name: "bob", role: "train" }),
  ];
  const tokens = openTokens(file);
  expect([tokens.find(ann), tokens.find(bob), tokens.find("ann"), tokens.find("")]).toEqual([
    { name: "ann", role: "read" },
    { name: "bob", role: "train" },
    undefined,
    undefined,
  ]);
  const text = await readFile(file, "utf8");
  expect([text.includes(ann), text.includes(ann.slice(8))]).toEqual([false, false]);
  const [{ salt, hash }] = (JSON.parse(text) as { tokens: [{ salt: string; hash: string }] }).tokens;
  expect(hash).toBe(createHash("sha256").update(`${salt}${ann}`).digest("hex"));
});

test.skipIf(process.platform === "win32")("the file is its owner's alone (needs file modes)", async () => {
  const file = await newFile();
  await addToken(file, { name: "ann", role: "read" });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("an end date ends it, a removal ends it at the next question, and a broken file lets nobody in", async () => {
  const file = await newFile();
  let now = new Date("2027-01-30T23:59:59Z");
  const ends = new Date("2027-01-31T00:00:00Z");
  const token = await addToken(file, { name: "ann", role: "write", ends, now });
  const lasting = await addToken(file, { name: "bob", role: "write", now });
  const tokens = openTokens(file, () => now);
  expect(tokens.find(token)?.name).toBe("ann");
  now = ends;
  expect([tokens.find(token), tokens.find(lasting)?.name]).toEqual([undefined, "bob"]);
  expect(listTokens(file)).toEqual([
    { name: "ann", role: "write", made: "2027-01-30T23:59:59.000Z", ends: "2027-01-31T00:00:00.000Z" },
    { name: "bob", role: "write", made: "2027-01-30T23:59:59.000Z", ends: undefined },
  ]);
  await removeToken(file, "ann");
  expect(listTokens(file).map(({ name }) => name)).toEqual(["bob"]);
  await writeFile(file, "{");
  expect(tokens.find(lasting)).toBeUndefined();
});

test("what is wrong is said by name", async () => {
  const file = await newFile();
  expect(() => openTokens(file)).toThrow(/cannot be read \(ENOENT\)/);
  await addToken(file, { name: "ann", role: "read" });
  await expect(addToken(file, { name: "ann", role: "write" })).rejects.toMatchObject({ code: "bad-token" });
  await expect(addToken(file, { name: "a b\n", role: "write" })).rejects.toMatchObject({ code: "bad-token" });
  await expect(removeToken(file, "bob")).rejects.toThrow(/no token of "bob"; there are ann/);
  await writeFile(file, '{"limbeck":"tokens","v":1,"tokens":[{"name":"x","role":"god"}]}');
  expect(() => listTokens(file)).toThrow(/is no file of tokens/);
});
