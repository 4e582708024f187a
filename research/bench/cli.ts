/** What the command line of a clone costs before it answers: processor time, user and system, so that a busy machine counts less. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { joinRoom } from "../../scripts/join-room.ts";
import { PACKAGES } from "../../scripts/layout.ts";
import type { Bench } from "./harness.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Says on a channel of its own, when the process ends, what it has used. */
const METER = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, JSON.stringify(process.cpuUsage())));',
)}`;
const LAUNCHER = ["scripts/limbeck.mjs"];
/** The same sources without the launcher: compiled by tsx as they are read. */
const SOURCES = [
  "--import",
  pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href,
  "packages/limbeck/src/cli/bin.ts",
];

async function processorSeconds(program: readonly string[], words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ["--import", METER, ...program, ...words], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const [said] = await Promise.all([text(child.stdio[3] as Readable), once(child, "close")]);
  const { user, system } = JSON.parse(said) as NodeJS.CpuUsage;
  return (user + system) / 1e6;
}

function answer(name: string, words: readonly string[], most: number): Bench {
  return {
    name: `cli/${name}`,
    summary: `limbeck ${words.join(" ")}, from start to end.`,
    unit: "processor s",
    goal: { at: "most", value: most },
    repetitions: 9,
    warmUps: 2,
    setUp: async () => {
      const node = await processorSeconds(["--eval", "0"], []);
      // The first fills the cache of tsx.
      await processorSeconds(SOURCES, words);
      const before = await processorSeconds(SOURCES, words);
      return {
        measure: () => processorSeconds(LAUNCHER, words),
        notes: () => ({ "Node alone": node, "sources by tsx": before }),
      };
    },
  };
}

/** What an import costs beyond that of an empty module, of compiled files as users have them. */
function importing(door: string, most: number): Bench {
  const importOf = async (file: string): Promise<number> =>
    await processorSeconds(["--input-type=module", "--eval", `import ${JSON.stringify(pathToFileURL(file))};`], []);
  return {
    name: `cli/import-${door}`,
    summary: `import of the door ${door}, without the start of Node.`,
    unit: "processor s",
    goal: { at: "most", value: most },
    repetitions: 11,
    warmUps: 1,
    setUp: async (folder) => {
      // Compiles what changed.
      await processorSeconds(LAUNCHER, ["--version"]);
      for (const name of Object.keys(PACKAGES)) {
        const [from, to] = [join(ROOT, "packages", name), join(folder, "packages", name)];
        for (const one of ["dist", "package.json"]) await cp(join(from, one), join(to, one), { recursive: true });
      }
      await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
      await joinRoom(join(folder, "packages/core/dist/credit/registry.js"));
      const [file, empty] = [join(folder, "packages/limbeck/dist/doors", `${door}.js`), join(folder, "empty.js")];
      await writeFile(empty, "export {};");
      return { measure: async () => (await importOf(file)) - (await importOf(empty)) };
    },
  };
}

export const cliBenches: readonly Bench[] = [
  answer("help", ["--help"], 0.3),
  answer("typo", ["train", "--steps", "two"], 0.4),
  answer("typo-command", ["trian"], 0.4),
  answer("typo-name", ["train", "--recipe", "opidd"], 0.4),
  importing("limbeck", 0.1),
  importing("credit", 0.05),
];
