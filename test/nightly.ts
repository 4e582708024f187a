/**
 * `npm run test:nightly`: what is too long for every change. Every part runs, whatever became of those before it; the end is one line a
 * part, and exit code 1 where one failed. `npm run test:nightly -- fuzz claims` runs those.
 */
import { spawnSync } from "node:child_process";

const PARTS: Readonly<Record<string, readonly string[]>> = {
  tests: ["npx", "vitest", "run", "--project", "nightly", "--project", "thorough"],
  fuzz: ["npm", "run", "fuzz", "--", "--seconds", "300"],
  soak: ["npm", "run", "soak", "--", "200"],
  "soak:updates": ["npm", "run", "soak:updates", "--", "--kills", "200", "--large", "10", "--pairs", "4"],
  build: ["npm", "run", "build"],
  "soak:training": ["npm", "run", "soak:training", "--", "--updates", "10", "--wait-ms", "500", "--kill-every", "15"],
  "soak:fleet": ["npm", "run", "soak:fleet"],
  platforms: ["npm", "run", "platforms"],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  process.stderr.write(`No part ${unknown.join(", ")}. Parts: ${Object.keys(PARTS).join(", ")}.\n`);
  process.exit(2);
}

const lines: string[] = [];
for (const [name, [program = "", ...words]] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stdout.write(`\n== ${name}: ${[program, ...words].join(" ")}\n`);
  const start = performance.now();
  const { status } = spawnSync(program, words, { stdio: "inherit" });
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  lines.push(`${status === 0 ? "passed" : "FAILED"}  ${name}, ${minutes} min`);
  if (status !== 0) process.exitCode = 1;
}
process.stdout.write(`\nNightly, ${new Date().toISOString().slice(0, 10)}\n${lines.join("\n")}\n`);
