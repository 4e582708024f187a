/**
 * A day of work for the scripted agent: small repositories, each with faults and a test for each, and a session for every fault.
 *
 *   node make-day.mjs FOLDER DAY COUNT     repositories in FOLDER/repositories, sessions in FOLDER/DAY
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [folder = ".", day = "monday", count = "24"] = process.argv.slice(2);
const agent = join(dirname(fileURLToPath(import.meta.url)), "coding-agent.mjs");
const PER_REPOSITORY = 8;
const git = (cwd, ...words) =>
  execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...words], { cwd, stdio: "pipe" });
const put = (root, path, text) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
// Tests read what was built, and what is built is not in git: who only edits src sees no change.
const BUILD = `import { cpSync } from "node:fs";\ncpSync("src", "dist", { recursive: true });\n`;
const sessions = join(folder, day);
for (let first = 0; first < Number(count); first += PER_REPOSITORY) {
  const root = join(folder, "repositories", `${day}-${first / PER_REPOSITORY + 1}`);
  const names = Array.from(
    { length: Math.min(PER_REPOSITORY, Number(count) - first) },
    (_, at) => `${day}${first + at + 1}`,
  );
  put(root, "tools/build.mjs", BUILD);
  put(root, ".gitignore", "dist/\n");
  for (const name of names) {
    put(root, `src/${name}.mjs`, `export const ${name} = () => "wrong";\n`);
    const body = `import assert from "node:assert";\nimport { ${name} } from "../dist/${name}.mjs";\nassert.equal(${name}(), "right");\n`;
    put(root, `test/${name}.test.mjs`, body);
  }
  git(root, "init", "--quiet", "--initial-branch=main");
  git(root, "config", "user.name", "Ann");
  git(root, "config", "user.email", "ann@example.org");
  git(root, "add", "-A");
  git(root, "commit", "--quiet", "-m", "begin");
  for (const name of names) {
    const words = [agent, `Fix ${name} so that its test passes.`];
    execFileSync(process.execPath, words, { cwd: root, env: { ...process.env, SESSIONS: sessions }, stdio: "pipe" });
    // Failed work is thrown away.
    git(root, "checkout", "--quiet", "--", ".");
  }
}
