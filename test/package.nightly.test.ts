/** Every template of `limbeck init`, every example and the packages of models, from packed tarballs. */
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { templates } from "../packages/limbeck/src/cli/init/templates.ts";
import { installedOnce, npm, root, run } from "./support/installed-package.ts";
import { templateProjects } from "./support/template-projects.ts";

const installed = installedOnce();

templateProjects(installed, Object.keys(templates));

test(
  "models that the package has no room for are packages of their own, and install without anything else",
  { timeout: 240_000 },
  async () => {
    const project = join(installed().folder, "with base");
    const packages = ["limbeck-base-model", "limbeck-world-models", "limbeck-writer-model"];
    await npm(installed().clone, "run", "install-into", "--", project, ...packages);
    const model = ["README.md", "config.json", "model.safetensors", "tokenizer.json"];
    const kept = join(project, "node_modules");
    expect(await readdir(join(kept, "limbeck-base-model"))).toEqual(expect.arrayContaining(model));
    expect(await readdir(join(kept, "limbeck-writer-model"))).toEqual(
      expect.arrayContaining([...model, "writes-briefly"]),
    );
    for (const world of ["archive", "countdown", "draft", "emit", "ledger", "research", "shop", "talk", "tools"]) {
      expect(await readdir(join(kept, "limbeck-world-models", world))).toEqual(expect.arrayContaining(model));
    }
  },
);

test("its examples compile strictly and run, one small update each", { timeout: 240_000 }, async ({ skip }) => {
  skip(installed().unreachable !== undefined, installed().unreachable);
  const names = ["grpo-loop", "own-method", "own-reward", "own-world"];
  for (const name of names)
    await cp(join(installed().unpacked, "examples", `${name}.ts`), join(installed().app, `${name}.ts`));
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const types = ["--typeRoots", join(root, "node_modules", "@types"), "--types", "node"];
  const strict = ["--strict", "--target", "es2023", "--module", "nodenext", "--outDir", "built", ...types];
  await run(process.execPath, [compiler, ...strict, ...names.map((name) => `${name}.ts`)], { cwd: installed().app });
  const said: string[] = [];
  for (const name of names) {
    const { stdout } = await run(process.execPath, [join("built", `${name}.js`), "--tiny"], { cwd: installed().app });
    said.push(stdout.trim().split("\n").at(-1) ?? "");
  }
  expect(said).toEqual(names.map(() => expect.stringMatching(/before \d.*, after \d/) as string));
});
