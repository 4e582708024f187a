/**
 * Numbers of published code, made once by running it outside the project. A file of `test/published` names the
 * repository, the commit, the function and how it was run; a test of the method compares.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../published/", import.meta.url));

export interface Published<Case> {
  /** "owner/name" on GitHub. */
  readonly repository: string;
  readonly commit: string;
  readonly license: string;
  /** "file: function". */
  readonly source: string;
  /** How the numbers were made. */
  readonly command: string;
  readonly cases: readonly Case[];
}

export function published<Case>(name: string): Published<Case> {
  return JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8")) as Published<Case>;
}

export function publishedNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length));
}
