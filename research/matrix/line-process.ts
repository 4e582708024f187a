/**
 * The process of one line. It can be bundled and started by itself, without the store's engines:
 *
 *     node matrix-line.mjs LINE OUTFILE MODELDIR [UPDATES]
 */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { lines } from "./lines.ts";
import { runLine } from "./run-line.ts";

const [id = "", outFile = "", model = "", updates] = process.argv.slice(2);
const line = lines.find((one) => one.id === id);
if (line === undefined || outFile === "" || model === "") {
  process.stderr.write("usage: LINE OUTFILE MODELDIR [UPDATES]; npm run matrix -- --list names the lines\n");
  process.exitCode = 2;
} else {
  const result = await runLine(line, { model, ...(updates === undefined ? {} : { updates: Number(updates) }) });
  await mkdir(dirname(outFile), { recursive: true });
  // A reader never sees half a result.
  await writeFile(`${outFile}.part`, `${JSON.stringify(result, undefined, 2)}\n`);
  await rename(`${outFile}.part`, outFile);
}
