/** What lies around a person who has just come: names and counts, nothing is opened but package.json. */
import { homedir } from "node:os";
import { join } from "node:path";
import { namesIfThere, textIfThere } from "limbeck-base/base/files";
import { isObject, parseObject, type JsonObject } from "limbeck-base/base/json";
import { sessionFiles } from "limbeck-store/store/formats/detect";
import type { SessionSource } from "limbeck-store/store/formats/source";
import { textOr } from "limbeck-recorder/lines";
import { importers } from "limbeck-store/record/importers/registry";

export type Library = "ai" | "mastra" | "langgraph" | "claude-agent-sdk" | "openai-agents" | "openai" | "anthropic";

export type Finding =
  | { readonly kind: "library"; readonly name: Library; readonly version: string }
  | { readonly kind: "sessions"; readonly name: string; readonly title: string; readonly files: number }
  | { readonly kind: "export"; readonly name: string; readonly files: number }
  | { readonly kind: "results"; readonly name: string; readonly other: string };

/** Of several the one that builds on the others stands first, and is the one that is offered. */
const LIBRARIES: readonly (readonly [name: Library, packages: RegExp])[] = [
  ["mastra", /^@mastra\/core$/],
  ["langgraph", /^@langchain\/langgraph$/],
  ["claude-agent-sdk", /^@anthropic-ai\/claude-(?:agent-sdk|code)$/],
  ["openai-agents", /^@openai\/agents$/],
  ["ai", /^ai$/],
  ["openai", /^openai$/],
  ["anthropic", /^@anthropic-ai\/sdk$/],
];

const PROGRAMS = ["claude-code", "codex", "opencode", "gemini-cli"] as const;
/** By name alone; what is in them is for `limbeck import` to see. */
const EXPORTS = /^(?:recordings|.*(?:langfuse|otel|otlp|traces|spans|trajector).*\.jsonl?(?:\.gz)?)$/i;
const RESULTS = /^(?:samples_.*\.jsonl|.*\.eval|(?:promptfoo|vitest|eval|results?)[-_.\w]*\.jsonl?)$/i;
/** More sessions are as good as these. */
const MOST_FILES = 10_000;

export interface Around {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: string;
}

export async function lookAround({ cwd, env, platform = process.platform }: Around): Promise<readonly Finding[]> {
  const names = ((await namesIfThere(cwd)) ?? []).sort();
  const [first, second] = names.filter((name) => RESULTS.test(name));
  const exports = names.filter((name) => EXPORTS.test(name));
  const library = libraryIn(parseObject((await textIfThere(join(cwd, "package.json"))) ?? "") ?? {});
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  const sessions = await Promise.all(
    PROGRAMS.map(async (name): Promise<Finding[]> => {
      const source: SessionSource = importers[name];
      const files = await countFiles(source, source.folders?.({ home, env, platform }) ?? []);
      return files === 0 ? [] : [{ kind: "sessions", name, title: source.title, files }];
    }),
  );
  const [shown] = exports;
  return [
    ...(library === undefined ? [] : [library]),
    ...sessions.flat(),
    ...(shown === undefined ? [] : [{ kind: "export", name: shown, files: exports.length } as const]),
    ...(first === undefined || second === undefined ? [] : [{ kind: "results", name: first, other: second } as const]),
  ];
}

function libraryIn(manifest: JsonObject): Finding | undefined {
  const lists = [manifest["dependencies"], manifest["devDependencies"], manifest["peerDependencies"]];
  const packages = lists.flatMap((list) => (isObject(list) ? Object.entries(list) : []));
  for (const [name, pattern] of LIBRARIES) {
    const found = packages.find(([one]) => pattern.test(one));
    if (found !== undefined) return { kind: "library", name, version: /\d+/.exec(textOr(found[1], ""))?.[0] ?? "" };
  }
  return undefined;
}

async function countFiles(source: SessionSource, folders: readonly string[]): Promise<number> {
  let files = 0;
  for (const folder of folders) {
    try {
      for await (const _ of sessionFiles(source, folder)) {
        files += 1;
        if (files >= MOST_FILES) return files;
      }
    } catch {
      // Not there, empty, or not for this user to see: nothing is offered of it.
    }
  }
  return files;
}
