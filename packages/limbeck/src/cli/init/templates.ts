/** The projects that `limbeck init` writes: what each is for, and what it has beyond the others. */
import { fileURLToPath } from "node:url";

export interface Template {
  readonly summary: string;
  /** Packages beside limbeck; their versions are those that limbeck itself is tested with. */
  readonly packages: readonly string[];
  /** Scripts beside test, train and types. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** In every project: to run TypeScript, to check it, and for the contract suite. */
export const TOOLS = ["@types/node", "fast-check", "tsx", "typescript"] as const;

/** Every project begins as this one; the files of another template stand in the place of those of the same name. */
export const BASE = "text-world";

export const templates = {
  "text-world": { summary: "An agent reads text and answers with an action", packages: [], scripts: {} },
  "tool-world": { summary: "An action is a call of a tool, as JSON", packages: [], scripts: {} },
  questions: { summary: "Questions about your own text files", packages: [], scripts: {} },
  "ai-sdk-agent": {
    summary: "An AI SDK agent with tools, and the world that measures it",
    packages: ["ai", "zod"],
    scripts: { start: "node --import tsx src/run.ts" },
  },
  "http-world": {
    summary: "An HTTP service as a world, with a small server",
    packages: [],
    scripts: { serve: "node --import tsx src/serve.ts" },
  },
  openenv: { summary: "The world of an OpenEnv server, with a small server", packages: ["ws"], scripts: {} },
  verifiers: { summary: "A verifiers environment in Python; needs python3", packages: [], scripts: {} },
} as const satisfies Readonly<Record<string, Template>>;

export type TemplateName = keyof typeof templates;

/** Sources and built files lie equally deep below the package's root. */
export function templateFolder(name: TemplateName): string {
  return fileURLToPath(new URL(`../../../templates/${name}`, import.meta.url));
}
