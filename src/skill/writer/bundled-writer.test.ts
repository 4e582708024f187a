/** The writer of `limbeck-writer-model`, as a user has it. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isThere } from "../../base/files.ts";
import { OWN_MANIFEST } from "../../base/native-part.ts";
import { rollout } from "../../run/index.ts";
import type { Writer, Written } from "../skill.ts";
import { openWriter } from "./open-writer.ts";
import { createWriterAnalyst } from "./writer-analyst.ts";

const folder = join(dirname(OWN_MANIFEST), "packages", "writer-model");
let writer: Writer;
beforeAll(async () => {
  writer = await openWriter("bundled", { environment: {} });
});
afterAll(async () => await writer.close?.());

test("its package is whole, and stays below 20 MB", async () => {
  expect((await stat(join(folder, "model.safetensors"))).size).toBeLessThan(20_000_000);
  const { files } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { readonly files: string[] };
  expect(await Promise.all(files.map((file) => isThere(join(folder, file))))).toEqual(files.map(() => true));
});

test("it writes a usable skill for a held-out group, and the same again", async () => {
  const { trajectories } = await rollout({ env: "ledger", split: "test", policy: "expert", tasks: 1, group: 2 });
  const by: Written<unknown>["by"][] = [];
  const counted: Writer = {
    ...writer,
    write: async (writing, options) => {
      const written = await writer.write(writing, options);
      by.push(written.by);
      return written;
    },
  };
  const select = ({ id }: { readonly id: string }): boolean => id === trajectories[0]?.id;
  const write = async () => await createWriterAnalyst(counted).analyse(trajectories, { maxStepSkills: 1, select });
  const [analysis] = await write();
  expect(by).toEqual(["model"]);
  // How often it is also true is a figure of its card.
  expect(analysis?.episodeSkill?.text).toMatch(/: book \d+ from \w+ to \w+/);
  expect(await write()).toEqual([analysis]);
});

test("where what it says cannot be used, the template writes, and says why", async () => {
  const written = await writer.write({
    kind: "reason",
    wanted: "A number.",
    material: ["task: something that it has never read", "saw: a world of another kind"],
    read: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
    template: () => 7,
  });
  expect(written).toMatchObject({ value: 7, by: "template" });
  expect(written.why).toMatch(/form/);
});
