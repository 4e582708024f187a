/** Programs of this package that run as a process of their own, built or as source. */
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What Node is started with to run `name` (without ending) beside the module `from`. Sources need what compiles them. */
export function programWords(from: string, name: string): string[] {
  if (!from.endsWith(".ts")) return [fileURLToPath(new URL(`./${name}.js`, from))];
  const compiler = pathToFileURL(createRequire(from).resolve("tsx")).href;
  return ["--import", compiler, fileURLToPath(new URL(`./${name}.ts`, from))];
}
