import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { filledFolder } from "../test/support/temporary-folder.ts";
import { joinRoom } from "./join-room.ts";

const FILES = {
  "package.json": '{ "type": "module" }',
  "base/counter.js": "export const seen = [];",
  "room/a.js":
    'import { seen } from "../base/counter.js";\nseen.push("a");\nexport const value = { name: "a" };\nexport class A {}',
  "room/deep/b.js":
    'import { value as a } from "../a.js";\nimport { seen } from "../../base/counter.js";\nseen.push("b");\nexport const value = { a };',
  "room/registry.js":
    'import { value as a } from "./a.js";\nimport { value as b } from "./deep/b.js";\nexport const all = { a, b };',
  "room/other.js": 'import { value } from "./a.js";\nexport const other = { value };',
};

const folder = filledFolder(async (place) => {
  for (const name of ["base", "room", "room/deep"]) mkdirSync(join(place, name), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(place, name), text);
  await joinRoom(join(place, "room", "registry.js"));
});

test("every file of the room has its names still, of the same objects, which are made once", async () => {
  const at = async (name: string): Promise<Record<string, never>> =>
    (await import(pathToFileURL(join(folder(), name)).href)) as Record<string, never>;
  const [registry, a, b, counter] = await Promise.all(
    ["room/registry.js", "room/a.js", "room/deep/b.js", "base/counter.js"].map(at),
  );
  expect(Object.keys(a ?? {})).toEqual(["A", "value"]);
  expect(registry?.["all"]).toEqual({ a: a?.["value"], b: b?.["value"] });
  expect((registry?.["all"] as { readonly a: unknown } | undefined)?.a).toBe(a?.["value"]);
  expect((b?.["value"] as { readonly a: unknown } | undefined)?.a).toBe(a?.["value"]);
  expect(counter?.["seen"]).toEqual(["a", "b"]);
  // Not loaded by the registry, and as it was.
  expect((await at("room/other.js"))["other"]).toEqual({ value: a?.["value"] });
  expect(readFileSync(join(folder(), "room/other.js"), "utf8")).toBe(FILES["room/other.js"]);
});

test("a file of the room is the names of the joined one, and what lies outside is imported once", () => {
  const text = (name: string): string => readFileSync(join(folder(), name), "utf8");
  expect(text("room/deep/b.js")).toMatch(/^export \{ value_\d as value \} from "\.\/\.\.\/room\.js";\n$/);
  expect(text("room/room.js").match(/from "[^"]*"/g)).toEqual([
    'from "../base/counter.js"',
    'from "../base/counter.js"',
  ]);
});
