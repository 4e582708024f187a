/** Projects of `limbeck init`: what the last lines of the command say is typed. One install serves all: what each asks for, together. */
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { limbeckIn, npm, TARBALL, type Installed } from "./installed-package.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

export function templateProjects(installed: () => Installed, names: readonly string[]): void {
  describe("a project of limbeck init", () => {
    let projects: string;
    beforeAll(async () => {
      const { app, clone, folder, unreachable } = installed();
      if (unreachable !== undefined) return;
      projects = join(folder, "projects");
      const asked: Record<string, string> = {};
      for (const name of names) {
        const tarball = join(clone, TARBALL);
        const words = ["init", join(projects, name), "--template", name, "--limbeck", tarball];
        await limbeckIn(installed(), app, ...words);
        const { dependencies, devDependencies } = JSON.parse(
          await readFile(join(projects, name, "package.json"), "utf8"),
        ) as Record<string, Record<string, string>>;
        Object.assign(asked, devDependencies, dependencies, { limbeck: `file:${tarball}` });
      }
      await writeFile(join(projects, "package.json"), JSON.stringify({ private: true, dependencies: asked }));
      await npm(projects, "install", "--ignore-scripts");
    }, 240_000);
    beforeEach(({ skip }) => skip(installed().unreachable !== undefined, installed().unreachable));

    for (const name of names) {
      const missing = name === "verifiers" && !hasPython;
      test.skipIf(missing)(
        `${name}: its test passes, it compiles, and one update is made${missing ? " (needs python3)" : ""}`,
        { timeout: 240_000 },
        async () => {
          const project = join(projects, name);
          expect(await npm(project, "test")).toMatch(/^\S+ pass 3$[\s\S]*^\S+ fail 0$/m);
          expect(await npm(project, "run", "--silent", "types")).toBe("");
          const trained = await npm(project, "run", "--silent", "train", "--", "--tiny");
          expect(trained).toMatch(/Success before \d.*, after .* \d/);
          expect(await limbeckIn(installed(), project, "runs", "--json")).toContain('"grpo-');
        },
      );
    }
  });
}
