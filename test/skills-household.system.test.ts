/** What the statistics analyst writes, held against the world: its workflows are carried out to the letter. */
import { expect, test } from "vitest";
import { replay } from "./support/replayed-workflows.ts";

// Measured over 500 tasks of the dial tiny (see docs/lookup/skills.md); here fewer, so that the suite stays quick.
test.each(["world", "observation"] as const)(
  "workflows written from groups of weak episodes solve their task, with keys of the %s",
  async (keys) => {
    const found = await replay({ dial: "tiny", tasks: 36, rollouts: 8, keys });
    expect(found.solvable).toBeGreaterThanOrEqual(30);
    expect(found.replayed).toBeGreaterThanOrEqual(found.solvable - 1);
    expect(found.length).toBeLessThanOrEqual(found.shortestSibling);
    expect(found.stepSkills).toBeGreaterThan(36);
  },
);
