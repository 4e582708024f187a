import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { commandText, installCommand, missingPackages } from "./missing-packages.ts";

const newFolder = temporaryFolders();
const PEERS = { engine: "1.2.3", "@server/http": "^4.0.0" };

/** A project with these files in which limbeck is installed; gives its folder and the manifest of limbeck. */
async function project(...files: string[]): Promise<{ readonly folder: string; readonly manifest: string }> {
  const folder = await newFolder();
  const manifest = join(folder, "node_modules", "limbeck", "package.json");
  await write(manifest, { peerDependencies: PEERS });
  for (const file of files) await write(join(folder, file), {});
  return { folder, manifest };
}

async function write(file: string, value: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(value));
}

test.each([
  ["package-lock.json", "npm install --ignore-scripts"],
  ["pnpm-lock.yaml", "pnpm add --ignore-scripts"],
  ["bun.lock", "bun add --ignore-scripts"],
  ["yarn.lock", "yarn add --ignore-scripts"],
  [".yarnrc.yml", "yarn add --mode=skip-build"],
  ["no-lock", "npm install --ignore-scripts"],
])("in a project with %s: %s, in the versions of the manifest", async (file, words) => {
  const { folder, manifest } = await project("package.json", file);
  const missing = missingPackages(["engine", "@server/http"], manifest);
  expect({ ...missing, command: commandText(missing?.command ?? []) }).toEqual({
    project: folder,
    names: ["engine", "@server/http"],
    command: `${words} engine@1.2.3 "@server/http@^4.0.0"`,
  });
});

test("what lies beside it or above the project is there", async () => {
  const { folder, manifest } = await project("app/package.json", "app/node_modules/engine/package.json");
  const own = join(folder, "app", "node_modules", "limbeck", "package.json");
  await write(own, { peerDependencies: PEERS });
  const names = ["engine", "@server/http"];
  expect(missingPackages(names, own)?.command).toEqual(["npm", "install", "--ignore-scripts", "@server/http@^4.0.0"]);
  await write(join(folder, "node_modules", "@server", "http", "package.json"), {});
  expect(missingPackages(names, own)).toBeUndefined();
  // Where it is installed for all users there is no project.
  expect(missingPackages(names, manifest)).toBeUndefined();
});

test("in a clone nothing is installed one by one", () => {
  expect([missingPackages(["no-such-package"]), installCommand(["no-such-package"])]).toEqual([undefined, "npm ci"]);
});
