/** What the command line of a clone costs before it answers: processor time, user and system, so that a busy machine counts less. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import type { Readable } from "node:stream";
import type { Bench } from "./harness.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Says on a channel of its own, when the process ends, what it has used. */
const METER = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, JSON.stringify(process.cpuUsage())));',
)}`;
const LAUNCHER = ["scripts/limbeck.mjs"];
/** The same sources without the launcher: compiled by tsx as they are read. */
const SOURCES = ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href, "src/cli/bin.ts"];

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

/** What an import costs beyond a module that imports nothing, of compiled files, as users have them. */
function importing(door: string, most: number): Bench {
  const file = pathToFileURL(`${ROOT}dist/doors/${door}.js`).href;
  const module = (text: string): Promise<number> => processorSeconds(["--input-type=module", "--eval", text], []);
  return {
    name: `cli/import-${door}`,
    summary: `import of the door ${door}, without the start of Node.`,
    unit: "processor s",
    goal: { at: "most", value: most },
    repetitions: 11,
    warmUps: 1,
    setUp: async () => {
      // Compiles what changed.
      await processorSeconds(LAUNCHER, ["--version"]);
      return { measure: async () => (await module(`import ${JSON.stringify(file)};`)) - (await module("")) };
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
