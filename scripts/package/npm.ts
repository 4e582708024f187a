/** Starts npm without a shell, so that a path with spaces needs no quotes and Windows needs no npm.cmd. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The program and its first words: the npm that runs this script, else the one beside node, else one on the path. */
export function npmProgram(): readonly [file: string, ...words: string[]] {
  const node = dirname(process.execPath);
  const places = [
    // npx names itself here; other package managers too, whose words differ.
    process.env["npm_execpath"]?.replace(/npx-cli\.js$/, "npm-cli.js") ?? "",
    join(node, "node_modules", "npm", "bin", "npm-cli.js"),
    join(node, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
  ];
  const found = places.find((place) => place.endsWith("npm-cli.js") && existsSync(place));
  return found === undefined ? ["npm"] : [process.execPath, found];
}

/** Runs npm in a folder to its end. What it prints is shown, or given back. */
export function npm(cwd: string, words: readonly string[], output: "inherit" | "pipe" = "inherit"): string {
  const [file, ...first] = npmProgram();
  const options = { cwd, encoding: "utf8", maxBuffer: 64 * 1024 ** 2 } as const;
  const ended = spawnSync(file, [...first, ...words], { ...options, stdio: ["ignore", output, "inherit"] });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`npm ${words.join(" ")} failed in ${cwd}: ${ended.error?.message ?? `exit code ${ended.status}`}`);
}
