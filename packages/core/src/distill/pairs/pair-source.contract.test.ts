import { describe, expect, test } from "vitest";
import { validateForest } from "limbeck-base/trajectory/forest";
import { pairSources } from "./index.ts";
import { pairSourceContract } from "./pair-source.contract.ts";
import { randomForest } from "./random-forest.ts";

for (const [name, source] of Object.entries(pairSources)) {
  pairSourceContract({ name, source, runner: { describe, test } });
}

test("the random forests are valid, and every source finds something in them", () => {
  const shapes = Array.from({ length: 60 }, (_, seed) => ({ seed, tasks: 2, episodes: 6, steps: 3 }));
  const forests = shapes.map(randomForest);
  for (const forest of forests) expect(validateForest(forest)).toEqual([]);
  for (const [name, source] of Object.entries(pairSources)) {
    const options = Object.fromEntries(
      Object.entries(source.options).map(([option, spec]) => [option, (spec as { default: unknown }).default]),
    );
    const count = forests.reduce((total, forest) => total + source.find(forest, options as never).length, 0);
    expect([name, count > 20]).toEqual([name, true]);
  }
});
