/**
 * Reads one store over and over until its standard input ends: counts through SQL, and whole trajectories. Anything odd
 * is printed as a line that begins with "fault"; the last line says how often it has read.
 *
 * Arguments: store folder.
 */
import { isDeepStrictEqual } from "node:util";
import { errorData } from "../../packages/base/src/base/errors.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { madeFrom, RUN } from "./kill-data.ts";

const [root = ""] = process.argv.slice(2);
const store = openStore(root);

process.stdin.resume();
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const COUNTS = `
  select (select count(*) from trajectories), (select count(distinct id) from trajectories),
    (select coalesce(sum(step_count), 0) from trajectories), (select count(*) from steps),
    (select count(*) from rewards), (select coalesce(sum(token_count), 0) from trajectories), (select count(*) from tokens)`;

let most = 0;
let reads = 0;
while (!process.stdin.readableEnded) {
  try {
    const [stored, distinct, stepsSaid, steps, rewards, tokensSaid, tokens] = (await store.query(COUNTS))
      .rows[0] as number[];
    const whole = stored === distinct && stored === rewards && stepsSaid === steps && tokensSaid === tokens;
    if (!whole) print(`fault: ${[stored, distinct, stepsSaid, steps, rewards, tokensSaid, tokens].join(" ")}`);
    if ((stored ?? 0) < most) print(`fault: ${stored} trajectories after ${most}`);
    most = Math.max(most, stored ?? 0);
    const seen = new Set<string>();
    for await (const trajectory of store.trajectories({ run: RUN })) {
      if (seen.has(trajectory.id)) print(`fault: ${trajectory.id} came twice`);
      seen.add(trajectory.id);
      if (!isDeepStrictEqual(trajectory, madeFrom(trajectory.id))) print(`fault: ${trajectory.id} is not whole`);
    }
    if (seen.size < most) print(`fault: ${seen.size} whole trajectories after ${most}`);
    for (const { problem } of await store.runs()) if (problem !== undefined) print(`fault: ${problem}`);
    reads += 1;
  } catch (error) {
    print(`fault: ${JSON.stringify(errorData(error))}`);
  }
}
print(`reads ${reads}`);
