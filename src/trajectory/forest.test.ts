import fc from "fast-check";
import { expect, test } from "vitest";
import { forest } from "../../test/support/forests.ts";
import { ancestry, createForest, episodeSteps, validateForest } from "./forest.ts";
import { trajectoryFromJson, trajectoryToJson } from "./schema.ts";

test("every generated forest is valid and survives JSON exactly", () => {
  fc.assert(
    fc.property(forest, (trajectories) => {
      expect(validateForest(trajectories)).toEqual([]);
      const back = trajectories.map((one) => trajectoryFromJson(JSON.parse(JSON.stringify(trajectoryToJson(one)))));
      expect(back).toStrictEqual(trajectories);
      for (const one of trajectories) {
        const line = ancestry(createForest(trajectories), one.id);
        expect(line.at(-1)?.parent).toBeUndefined();
        const steps = episodeSteps(createForest(trajectories), one.id);
        expect(steps.map((step) => step.index)).toEqual(steps.map((_, index) => index));
      }
    }),
    { numRuns: 100 },
  );
});
