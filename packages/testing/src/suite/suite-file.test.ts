import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { digestOf } from "./suite.ts";
import { readBounded, readSuiteFile } from "./suite-file.ts";

const newFolder = temporaryFolders();

test("YAML and JSON of the same data are one suite", async () => {
  const folder = await newFolder();
  await writeFile(
    join(folder, "a.yaml"),
    "suite: s\ngrader: number\ntasks:\n  - { id: a, prompt: '2 + 2?', answer: 4 }\n",
  );
  const data = { suite: "s", grader: "number", tasks: [{ id: "a", prompt: "2 + 2?", answer: 4 }] };
  await writeFile(join(folder, "a.json"), JSON.stringify(data));
  expect(digestOf(await readSuiteFile("a.yaml", folder))).toBe(digestOf(await readSuiteFile("a.json", folder)));
});

test("what is no plain file, is too large, too deep, or no data is named and not read", async () => {
  const folder = await newFolder();
  const put = (name: string, text: string) => writeFile(join(folder, name), text);
  await put("deep.json", `{"a":${"[".repeat(60)}${"]".repeat(60)}}`);
  await put("deep.yaml", `a: ${"[".repeat(60)}${"]".repeat(60)}`);
  await put("alias.yaml", "a: &x [1]\nb: *x\n");
  await put("twice.yaml", "suite: a\nsuite: b\n");
  await put("broken.json", '{"a": ');
  await mkdir(join(folder, "folder"));
  await symlink(join(folder, "twice.yaml"), join(folder, "link.yaml"));
  const read = (name: string) => readSuiteFile(name, folder);
  await expect(read("deep.json")).rejects.toThrow(/"deep.json" is nested too deeply/);
  await expect(read("deep.yaml")).rejects.toThrow(/"deep.yaml" is nested too deeply/);
  await expect(read("alias.yaml")).rejects.toThrow(/neither JSON nor YAML/);
  await expect(read("twice.yaml")).rejects.toThrow(/neither JSON nor YAML/);
  await expect(read("broken.json")).rejects.toThrow(/neither JSON nor YAML/);
  await expect(read("none.yaml")).rejects.toThrow(/Cannot read "none.yaml" \(ENOENT\)/);
  await expect(read("folder")).rejects.toThrow(/not a plain file/);
  await expect(read("link.yaml")).rejects.toThrow(/not a plain file/);
  await expect(readBounded(join(folder, "twice.yaml"), '"twice.yaml"', 10)).rejects.toThrow(/18 bytes; at most 10/);
});
