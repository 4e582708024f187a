/** The search of docs/learn/write-a-search.md as wide as on the page; `write-a.system.test.ts` holds a narrow one to the same contract. */
import { describe, test } from "vitest";
import { greedy } from "../examples/write/search.ts";
import { searchContract } from "../packages/limbeck/src/doors/testing.ts";

searchContract({ name: "greedy", create: () => greedy.create({ width: 4 }), runner: { describe, test } });
