/**
 * Fuzzes every parser for a while and says how many cases each has seen.
 *
 *     npm run fuzz                                  60 seconds over all targets
 *     npm run fuzz -- --seconds 3600 --keep found   an hour; what fails is kept there
 *     npm run fuzz -- --only gguf,skill-file --seed 7
 *     npm run fuzz -- --list
 */
import { parseArgs } from "node:util";
import { fuzz, keep } from "./fuzz.ts";
import { targets } from "./targets/index.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 1_000)) },
    only: { type: "string" },
    keep: { type: "string" },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
const all = Object.keys(targets);
const wanted = values.only?.split(",") ?? all;
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) stop(`There is no target ${unknown.join(", ")}; there are ${all.join(", ")}.`);
if (values.list) {
  process.stdout.write(`${all.join("\n")}\n`);
  process.exit(0);
}
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (!(seconds > 0) || !Number.isInteger(seed)) stop("--seconds must be a number above 0, --seed a whole number.");

const { counts, failures } = await fuzz({
  targets: wanted,
  seed,
  seconds,
  onFailure: (failure) => {
    const { target, index, kind, message } = failure;
    process.stderr.write(`! ${target}, case ${index}: ${kind}: ${message.split("\n").slice(0, 6).join("\n    ")}\n`);
    if (values.keep !== undefined) void keep(values.keep, failure);
  },
});
if (values.json) process.stdout.write(`${JSON.stringify({ seed, seconds, counts: Object.fromEntries(counts) })}\n`);
else {
  process.stdout.write(`seed ${seed}\n${"target".padEnd(28)}   cases    read refused  failed\n`);
  for (const [name, { cases, read, refused, failed }] of counts) {
    const numbers = [cases, read, refused, failed].map((count) => String(count).padStart(7)).join(" ");
    process.stdout.write(`${name.padEnd(28)} ${numbers}\n`);
  }
}
const total = [...counts.values()].reduce((sum, { cases }) => sum + cases, 0);
if (!values.json) process.stdout.write(`${total} cases, ${failures.length} failures.\n`);
process.exit(failures.length === 0 ? 0 : 1);

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
