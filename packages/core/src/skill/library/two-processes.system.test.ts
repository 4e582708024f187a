import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtChild } from "../../../../../test/support/built-child.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { openLibrary } from "./library.ts";

const temporaryFolder = temporaryFolders();
const program = builtChild("kill-librarian");
const run = promisify(execFile);

test("processes that extract into one library at the same time lose nothing", { timeout: 60_000 }, async () => {
  const folder = await temporaryFolder();
  await Promise.all(["a", "b", "c"].map((mark) => run(process.execPath, [program(), folder, mark, "6"])));
  const library = openLibrary(folder);
  const { skills, problems } = await library.list();
  expect(problems).toEqual([]);
  expect(skills.map(({ name }) => name)).toHaveLength(1 + 3 * 6);
  const shared = await library.read("shared");
  expect(new Set(shared.evidence.map(({ trajectory }) => trajectory)).size).toBe(18);
  expect(shared.statistics).toMatchObject({ uses: 18, successes: 18 });
  expect(await library.history("shared")).toHaveLength(18);
});
