/** Where each agent looks, in a project and for a user. From their public documentation, read 2026-11. */
import { join } from "node:path";

export const FORMS = ["skills", "section", "rules"] as const;
export type Form = (typeof FORMS)[number];

/** What a place on this machine depends on. */
export interface Where {
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface KnownAgent {
  readonly title: string;
  /** The first is the usual one. Undefined: the agent has no such place for a user. */
  readonly forms: Partial<
    Readonly<Record<Form, { readonly project: (at: Where) => string; readonly user?: (at: Where) => string }>>
  >;
}

const configOf = ({ home, env }: Where): string => env["XDG_CONFIG_HOME"] || join(home, ".config");
const claudeOf = ({ home, env }: Where): string => env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
const codexOf = ({ home, env }: Where): string => env["CODEX_HOME"] || join(home, ".codex");
const inProject =
  (...parts: readonly string[]) =>
  ({ project }: Where): string =>
    join(project, ...parts);

export const agents = {
  "claude-code": {
    title: "Claude Code",
    forms: {
      skills: { project: inProject(".claude", "skills"), user: (at) => join(claudeOf(at), "skills") },
      section: { project: inProject("CLAUDE.md"), user: (at) => join(claudeOf(at), "CLAUDE.md") },
    },
  },
  codex: {
    title: "Codex",
    forms: {
      skills: { project: inProject(".agents", "skills"), user: ({ home }) => join(home, ".agents", "skills") },
      section: { project: inProject("AGENTS.md"), user: (at) => join(codexOf(at), "AGENTS.md") },
    },
  },
  opencode: {
    title: "OpenCode",
    forms: {
      skills: { project: inProject(".opencode", "skills"), user: (at) => join(configOf(at), "opencode", "skills") },
      section: { project: inProject("AGENTS.md"), user: (at) => join(configOf(at), "opencode", "AGENTS.md") },
    },
  },
  cursor: {
    title: "Cursor",
    forms: {
      rules: { project: inProject(".cursor", "rules") },
      skills: { project: inProject(".cursor", "skills"), user: ({ home }) => join(home, ".cursor", "skills") },
      section: { project: inProject("AGENTS.md") },
    },
  },
} as const satisfies Record<string, KnownAgent>;

export type AgentId = keyof typeof agents;
