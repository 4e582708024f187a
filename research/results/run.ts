/** `npm run results [-- NAME…]`: runs the studies of docs/evidence/results and prints their figures as Markdown. */
import { allocate } from "./allocate.ts";
import { difficulty } from "./difficulty.ts";
import { examples } from "./examples.ts";
import { graded } from "./graded.ts";
import { guided } from "./guided.ts";
import { maestro } from "./maestro.ts";
import { partial } from "./partial.ts";
import { prune } from "./prune.ts";
import { searchCurves } from "./search-curves.ts";
import { skill1 } from "./skill1.ts";
import type { Study } from "./study.ts";
import { trees } from "./trees.ts";

/** One line for each study. */
const STUDIES: readonly Study[] = [
  trees,
  partial,
  prune,
  allocate,
  difficulty,
  examples,
  guided,
  graded,
  searchCurves,
  skill1,
  maestro,
];

const given = process.argv.slice(2);
/** Names first, then the options of the study. */
const options = given.findIndex((word) => word.startsWith("--"));
const names = options < 0 ? given : given.slice(0, options);
const words = options < 0 ? [] : given.slice(options);
const chosen = STUDIES.filter(({ name }) => names.length === 0 || names.includes(name));
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (chosen.length === 0) {
  print(`No study is called ${names.join(", ")}. Known: ${STUDIES.map(({ name }) => name).join(", ")}.`);
  process.exitCode = 2;
}
for (const { title, run } of chosen) {
  print(`## ${title}\n`);
  await run(print, words);
}
