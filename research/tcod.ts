/**
 * How far the policy is from its teacher, turn by turn over a training, with TCOD's curricula and without one:
 *
 *     tsx research/tcod.ts measure ARM SEED    # front-to-back, back-to-front or none; one thread, a few minutes
 *     tsx research/tcod.ts draw                # docs/images/tcod.svg and a table, from everything measured so far
 *
 * Figures are kept in docs/evidence/results/tcod, a file for each arm and seed, so that arms can run beside each other.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ARMS, measure, type Arm, type Measured } from "./tcod/measure.ts";
import { picture, table } from "./tcod/picture.ts";

const FOLDER = "docs/evidence/results/tcod";
const PICTURE = "docs/images/tcod.svg";
const [what, arm = "", seed = ""] = process.argv.slice(2);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (what === "measure" && (ARMS as readonly string[]).includes(arm) && /^\d+$/.test(seed)) {
  const measured = await measure(arm as Arm, Number(seed), print);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, `${arm}-${seed}.json`), `${JSON.stringify(measured)}\n`);
} else if (what === "draw") {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".json")).sort();
  const all = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(FOLDER, name), "utf8")) as Measured),
  );
  const models = new Set(all.map(({ model }) => model));
  if (models.size !== 1) throw new Error(`${FOLDER} has figures of ${models.size} models; measure all arms with one.`);
  await writeFile(PICTURE, picture(all));
  print(table(all));
} else {
  print(`Say "measure ARM SEED" (${ARMS.join(", ")}) or "draw".`);
  process.exitCode = 2;
}
