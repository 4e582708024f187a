/** `limbeck ci`: a workflow that lifts the skills which a pull request changes, and comments the table. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { EngineError } from "limbeck-base/base/errors";
import { isThere, replaceFile } from "limbeck-base/base/files";
import { input } from "limbeck-base/base/input";
import { liftInputs } from "../../run/lift.inputs.ts";
import { defineCommand } from "../command-of.ts";

const TARGETS = {
  "workflow.yml": ".github/workflows/skills.yml",
  "action.yml": ".github/actions/limbeck-lift/action.yml",
} as const;

export const ci = defineCommand({
  group: "start",
  summary: "Write a GitHub workflow that proves changed skills and comments the table",
  description:
    "Writes .github/workflows/skills.yml and the composite action that it uses, .github/actions/limbeck-lift/action.yml. On a pull request that changes skills the action runs limbeck lift for those alone, within the budget (600 runs where none is given), writes the table into the summary of the run and a comment, and fails where the lift's gate does (exit code 4). It changes no skill.\n" +
    "limbeck must be a dependency of the project: until it is published, the packed tarball (docs/learn/install.md). The key of a chat model is the secret LIMBECK_CHAT_API_KEY; a pull request of a fork has no secrets.",
  input: {
    folder: input.path("DIR", "The repository. Default: this folder", { at: 0 }),
    library: input.text("DIR", "Where the skills lie, from the repository's root", { default: "skills" }),
    dataset: input.text("FILE", "Tasks, one JSON object a line, from the repository's root", {
      default: "tasks.jsonl",
    }),
    agent: input.text("COMMAND", "Your agent with {prompt}; without it a bare chat model is asked"),
    budget: liftInputs.budget,
    prices: liftInputs.prices,
    force: input.flag("Write over files that are there"),
  },
  examples: [
    "limbeck ci",
    'limbeck ci --agent "node agent.mjs {prompt}" --dataset evals/tasks.jsonl --budget runs=300',
  ],
  line: { files: "what was written" },
  run: async ({ folder = ".", force, library, dataset, agent, budget, prices }, frame) => {
    const { checkLimits } = await import("../../run/lift-account.ts");
    checkLimits({ budget, prices, agent, policy: undefined });
    const root = resolve(frame.cwd, folder);
    if (!(await isThere(join(root, ".git"))))
      throw new EngineError(
        "bad-input",
        `${JSON.stringify(folder)} is no root of a git repository. Name it: limbeck ci DIR.`,
      );
    for (const path of Object.values(TARGETS)) {
      if (force || !(await isThere(join(root, path)))) continue;
      throw new EngineError(
        "target-exists",
        `"${path}" is there already. Give --force to write over it. Nothing was written.`,
      );
    }
    const limits = Object.entries(budget).map(([kind, amount]) => `${kind}=${amount}`);
    const values = {
      library,
      paths: `${library.replace(/\/+$/, "")}/**`,
      dataset,
      agent: agent ?? "",
      budget: limits.join(" ") || "runs=600",
      prices: prices ?? "",
    };
    for (const [name, path] of Object.entries(TARGETS)) {
      const template = fileURLToPath(new URL(`../../../templates/ci/${name}`, import.meta.url));
      await replaceFile(join(root, path), filled(await readFile(template, "utf8"), values));
    }
    const files = Object.values(TARGETS);
    frame.emit({ files });
    for (const file of files) frame.print(`${frame.style.green("✓")} ${file}`);
    frame.print(
      "Commit both, and limbeck as a dependency. A pull request that changes a skill is then lifted and commented.",
    );
  },
});

/** Values stand in YAML as JSON texts, so that none of them can be more than a value. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/"\{\{(\w+)\}\}"/g, (_, name: string) => JSON.stringify(values[name]));
}
