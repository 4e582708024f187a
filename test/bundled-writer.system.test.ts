/** The bundled writer, which lies in this clone as a package of its own. */
import { expect, test } from "vitest";
import { rollout } from "../packages/limbeck/src/run/rollout.ts";
import { groupedBy } from "../packages/base/src/base/grouped-by.ts";
import type { Writer, Written } from "../packages/core/src/skill/skill.ts";
import { openWriter } from "../packages/core/src/skill/writer/open-writer.ts";
import { createWriterAnalyst } from "../packages/core/src/skill/writer/writer-analyst.ts";
import { readClaims } from "../packages/core/src/skill/writer/brief-answer.ts";

test("it writes about groups of a world, and names nothing that they did not do", { timeout: 120_000 }, async () => {
  const { trajectories } = await rollout({ env: "ledger", policy: "careless", tasks: 3, group: 4, seed: 5 });
  const bundled = await openWriter("bundled", { environment: {} });
  const by: Written<unknown>["by"][] = [];
  const writer: Writer = {
    id: "counted",
    write: async (writing, options) => {
      const written = await bundled.write(writing, options);
      by.push(written.by);
      return written;
    },
  };
  for (const group of groupedBy(trajectories, ({ task }) => task.id).values()) {
    const done = new Set(group.flatMap(({ steps }) => steps.map(({ action }) => action)));
    const [analysis] = await createWriterAnalyst(writer).analyse(group, {
      maxStepSkills: 2,
      select: ({ id }) => id === group[0]?.id,
    });
    const said = readClaims(analysis?.episodeSkill?.text ?? "").flatMap(({ commands }) => commands);
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((command) => !done.has(command))).toEqual([]);
  }
  expect(by).toHaveLength(3);
  expect(by.filter((one) => one === "model").length).toBeGreaterThanOrEqual(2);
  await bundled.close?.();
});
