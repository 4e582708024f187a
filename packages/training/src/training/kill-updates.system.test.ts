/** Trainings with a scripted policy are really killed and resumed; `npm run soak:updates` does it a thousand times. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { killUpdates, resumeTogether, type UpdateKills } from "../../../../test/support/kill-updates.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { createRng } from "limbeck-base/base/rng";

const newFolder = temporaryFolders();
const program = builtChild("kill-update");

onEveryStore((place) => {
  test(
    "killed updates are stored once and whole, and of two that resume at once one is refused by name",
    { timeout: 240_000 },
    async () => {
      const plan: UpdateKills = {
        program: program(),
        root: place().root,
        dir: join(await newFolder(), "checkpoint"),
        // At least four times the buffer.
        sizes: { least: 256, most: 512 },
        bufferSteps: 64,
        rng: createRng("kill updates"),
      };
      const { kills, updates, faults } = await killUpdates(plan, 4);
      expect(faults).toEqual([]);
      expect([kills, updates > 1]).toEqual([4, true]);
      expect(await resumeTogether(plan)).toEqual([]);
    },
  );
});
