/** What the command line says, held word by word: `test/golden`. A difference is a change that users see. */
import { describe, expect, test } from "vitest";
import type { Command } from "../packages/limbeck/src/cli/command.ts";
import { commands } from "../packages/limbeck/src/cli/index.ts";
import { allCredits } from "../packages/core/src/credit/registry.ts";
import {
  keyedJob,
  parseJob,
  type AgentSpec,
  type PolicyFiles,
  type RolloutJob,
} from "../packages/remote/src/fleet/job.ts";
import { allObjectives } from "../packages/core/src/objective/registry.ts";
import { allRecipes } from "../packages/core/src/recipe/registry.ts";
import { allStrategies } from "../packages/core/src/rollout/registry.ts";
import { allSearches } from "../packages/core/src/search/registry.ts";
import { trainingSchema } from "../packages/training/src/training/schema.ts";
import { limbeck } from "./support/fake-io.ts";
import { answers, expectGolden, hashed, masked, nativesNeeded, played } from "./support/golden.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";
import { WRONG_LINES } from "./support/wrong-lines.ts";

const newFolder = temporaryFolders();
const names = Object.keys(commands);

async function help(words: readonly string[], columns: number): Promise<string> {
  const { code, out, err } = await limbeck([...words, "--no-color"], { terminal: { columns, out: true } });
  expect([code, err]).toEqual([0, ""]);
  return masked(out);
}

describe("help", () => {
  test("of every command at 80 columns", async () => {
    const texts: string[] = [];
    for (const name of ["", ...names]) texts.push(await help([name, "--help"].filter(Boolean), 80));
    await expectGolden("help-80", texts);
  });

  test("at 100 columns, by its hash", async () => {
    const lines: string[] = [];
    for (const name of ["", ...names])
      lines.push(`${name} ${hashed(await help([name, "--help"].filter(Boolean), 100))}`);
    await expectGolden("help-100", lines);
  });
});

test("completion, by its hash for each shell", async () => {
  const blocks: string[] = [];
  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    const { code, out } = await limbeck(["completion", shell]);
    blocks.push(`${shell} ${code} ${out.length} ${hashed(masked(out))}`);
  }
  await expectGolden("completion", blocks);
});

test("what each example of a help text asks for before it runs", async () => {
  const cwd = await newFolder();
  const lines = Object.values<Command>(commands).flatMap(({ examples }) => examples);
  const blocks = lines
    .filter((line) => line.startsWith("limbeck "))
    .map((line) => `${line.slice(8)} [${nativesNeeded(cwd, typedWords(line).slice(1)).join(" ")}]`);
  await expectGolden("natives", blocks);
});

/** Words as a shell makes them, up to a pipe. */
function typedWords(line: string): string[] {
  return [...line.replace(/ [|>].*$/, "").matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"),
  );
}

describe("wrong command lines", () => {
  test.each(Object.keys(WRONG_LINES))("%s", async (group) => {
    const cwd = await newFolder();
    const lines = WRONG_LINES[group] ?? [];
    await expectGolden(`wrong-${group}`, await played(lines, { cwd, env: { LIMBECK_STORE: "runs" } }));
  });
});

test.each([
  "worlds",
  "one-world",
  "games",
  "extracts",
  "acts",
  "walks",
  "hacks",
  "plays",
  "methods",
  "sessions",
  "skills",
  "models",
] as const)("answers, as people and as programs read them: %s", async (group) => answers(group, await newFolder()));

describe("schemas of trainings", () => {
  const ids = Object.keys(allRecipes);
  interface Object {
    readonly properties: Readonly<Record<string, unknown>>;
  }
  const settings = (names: object): Object["properties"] =>
    ((trainingSchema(names)["properties"] as unknown as Object["properties"])["settings"] as Object).properties;

  test("every setting of every recipe, in its order", async () => {
    const known = new Map<string, string>();
    const recipes = ids.map((recipe) => {
      const keys = Object.entries(settings({ recipe })).map(([name, schema]) => {
        const line = `${name} ${JSON.stringify(schema)}`;
        const key = hashed(line).slice(0, 6);
        known.set(key, line);
        return key;
      });
      return `${recipe} ${hashed(trainingSchema({ recipe }))}: ${keys.join(" ")}`;
    });
    await expectGolden("settings", [...[...known].map(([key, line]) => `${key} ${line}`), "", ...recipes]);
  });

  const losses = Object.entries<{ readonly policyLoss?: boolean }>(allObjectives);
  test.each([
    ["credit", Object.keys(allCredits)],
    ["strategy", Object.keys(allStrategies)],
    ["collect", Object.keys(allSearches)],
    ["objective", losses.flatMap(([id, { policyLoss }]) => (policyLoss === true ? [id] : []))],
  ])("with every %s, by a hash", async (kind, names) => {
    // A twelfth of the recipes tells as much as all: what a method brings does not depend on who takes it.
    const some = ids.filter((_, at) => at % 12 === 0);
    const rows = names.map((name) => {
      const all = some.map((recipe) => Object.entries(settings({ recipe, [kind]: name })));
      return `${name} ${hashed(all)}`;
    });
    await expectGolden(`settings-${kind}`, rows);
  });
});

describe("a job of the fleet", () => {
  const hash = "0".repeat(64);
  const speech = { prompts: "append", history: 4, form: "plain", answerTokens: 8, restrict: false };
  const sources: PolicyFiles["sources"] = [
    { kind: "folder", path: "/a" },
    { kind: "http", url: "http://127.0.0.1:1/", token: "t" },
  ];
  const files = { kind: "files", hash, version: 1, files: { "config.json": hash }, sources } as const;
  const sampler = { kind: "sampler", url: "http://127.0.0.1:1/", path: "p", version: 1, tokenizer: "t" } as const;
  const agents: Readonly<Record<string, AgentSpec>> = {
    script: { kind: "script", name: "expert" },
    chat: { kind: "chat", speech: { ...speech, system: "Be brief.", temperature: 1 } },
    model: { kind: "model", policy: files, speech },
    sampler: { kind: "model", policy: sampler, speech },
    training: { kind: "training", policy: files, settings: { tasks: 1, "credit.gamma": 0.5 }, skills: { a: "b" } },
  };
  const job = (agent: AgentSpec): RolloutJob =>
    keyedJob({
      run: "r",
      env: { id: "household", options: { dial: "tiny" } },
      task: { id: "t", env: "household", seed: 1, goal: "g", split: "train" },
      strategy: { name: "group", options: { size: 2, share: 0.5, name: "a", flag: true, none: null } },
      seed: 1,
      prefix: "1/",
      agent,
      peers: 0,
      episode: { steps: 3, tokens: 4, seconds: 5 },
      attempts: 1,
      concurrency: 1,
      deliver: { to: "store", root: "s3://bucket" },
    });

  test("has its key", async () => {
    await expectGolden(
      "job-keys",
      Object.entries(agents).map(([name, agent]) => `${name} ${job(agent).key}`),
    );
  });

  test("takes and refuses the same values in each place", async () => {
    const rows = Object.entries(agents).flatMap(([name, agent], at) => [
      name,
      ...tried(job(agent), at === 0 ? "" : "agent"),
    ]);
    await expectGolden("job-schema", rows);
  });
});

const TRIES: readonly unknown[] = [undefined, null, -1, 0, 1.5, "", "x", true, [], {}];

/** For each place of a job, or of a part of it, which of the values it takes there, and a hash of what is said to the others. */
function tried(job: object, within: string): string[] {
  const rows: string[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    const said = TRIES.map((other) => answerTo(changed(job, path, other)));
    const marks = said.map((text) => (text === "" ? "+" : "-")).join("");
    rows.push(`  ${path.join(".")} ${marks} ${hashed(said)}`);
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
    if (!Array.isArray(value)) rows.push(`  ${[...path, "?"].join(".")} ${answerTo(changed(job, [...path, "?"], 1))}`);
  };
  for (const [key, value] of Object.entries(job)) if (key.startsWith(within)) walk(value, [key]);
  return rows;
}

function changed(job: object, [key = "", ...rest]: readonly string[], value: unknown): object {
  const copy = structuredClone(job) as Record<string, unknown>;
  copy[key] = rest.length === 0 ? value : changed(copy[key] as object, rest, value);
  if (copy[key] === undefined) delete copy[key];
  return copy;
}

function answerTo(job: unknown): string {
  try {
    parseJob(job);
    return "";
  } catch (error) {
    return masked((error as Error).message).replaceAll("\n", " ");
  }
}
