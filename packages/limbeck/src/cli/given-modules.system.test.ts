/** `--env python:MODULE`, wherever --env is taken. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { openWorld } from "limbeck-training/training/parts";
import { commands } from "./index.ts";
import { withModules } from "./given-parts.ts";
import { parseWords } from "./parse.ts";

const newFolder = temporaryFolders();
const missing = spawnSync("python3", ["--version"]).status !== 0;
const NEEDS = missing ? " (needs python3)" : "";
const corridor = fileURLToPath(new URL("../../../../test/support/corridor_world.py", import.meta.url));

test.skipIf(missing)(`a game in a world of a Python file, and options beside it${NEEDS}`, async () => {
  const root = await newFolder();
  const words = ["--env", `python:${corridor}`, "--json"];
  const played = await limbeck(["play", ...words, "--set", 'arguments={"rooms": 2}'], {
    cwd: root,
    input: "go east\n",
  });
  expect([played.code, played.err]).toEqual([0, ""]);
  expect(played.objects().at(-1)).toMatchObject({ action: "go east", success: true });
  const none = await limbeck(["play", "--env", "python:"], { cwd: root });
  expect([none.code, none.err.includes("names no module")]).toEqual([2, true]);
});

test.skipIf(missing)(
  `--next takes one too, and code as well; what is stored is the id and its options${NEEDS}`,
  async () => {
    const { values } = withModules(
      parseWords(["train", "--next", "python:./b.py rooms=3", "--next", "countdown"], commands),
      commands.train,
    );
    expect(values.get("next")).toEqual(["python module=./b.py rooms=3", "countdown"]);
    const { id, options, name } = await openWorld({ env: `python:${corridor}` });
    expect([id, options]).toEqual(["python", { module: corridor }]);
    expect(name).toBe(`python ${JSON.stringify({ module: corridor })}`);
  },
);
