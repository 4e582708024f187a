/** For what was found, the two lines or the one command that fit. */
import { cleanLine } from "limbeck-base/base/clean-text";
import { plural } from "limbeck-base/base/units";
import { typedCommand } from "../typed-command.ts";
import type { Finding, Library } from "./look-around.ts";

export interface Offer {
  readonly found: string;
  /** What it brings, in a sentence. */
  readonly brings: string;
  /** Lines of code, or a command. */
  readonly lines: readonly string[];
  readonly kind: "code" | "command";
}

/**
 * A result that was recorded, with the page that has it: no run of this machine. `start.test.ts` compares it with the page.
 */
export const RECORDED = {
  page: "docs/learn/ten-minutes.md",
  what: "A refund desk on the AI SDK, 12 requests, with a scripted model that does not know the house rule",
  before: "4 of 12 refunds were right.",
  after: "12 of 12 refunds were right.",
} as const;

const IMPORT = 'import { createRecorder } from "limbeck-recorder";';
const MADE = 'const recorder = createRecorder({ agent: "my-agent" });';
const MODEL = [`${IMPORT} ${MADE}`, 'const model = recorder.model(openai("gpt-5")); // your model, as it is'];
const proxied = (variable: string): readonly string[] => [
  typedCommand(["proxy"]),
  `${variable} npm start   # your agent, unchanged`,
];

const LIBRARIES: Readonly<Record<Library, Omit<Offer, "found" | "brings"> & { readonly title: string }>> = {
  ai: { title: "AI SDK", kind: "code", lines: MODEL },
  mastra: { title: "Mastra", kind: "code", lines: MODEL },
  langgraph: { title: "LangGraph", kind: "command", lines: proxied("OPENAI_BASE_URL=http://127.0.0.1:4141/v1") },
  "claude-agent-sdk": {
    title: "Claude Agent SDK",
    kind: "command",
    lines: proxied("ANTHROPIC_BASE_URL=http://127.0.0.1:4141"),
  },
  "openai-agents": {
    title: "OpenAI Agents SDK",
    kind: "command",
    lines: proxied("OPENAI_BASE_URL=http://127.0.0.1:4141/v1"),
  },
  openai: {
    title: "OpenAI client",
    kind: "code",
    lines: [`${IMPORT} ${MADE}`, "const client = new OpenAI({ fetch: recorder.fetch });"],
  },
  anthropic: {
    title: "Anthropic client",
    kind: "code",
    lines: [`${IMPORT} ${MADE}`, "const client = new Anthropic({ fetch: recorder.fetch });"],
  },
};

export function offerFor(finding: Finding): Offer {
  const name = cleanLine(finding.name);
  switch (finding.kind) {
    case "library": {
      const { title, ...offer } = LIBRARIES[finding.name];
      const version = finding.version === "" ? "" : ` ${finding.version}`;
      return { found: `${title}${version} in package.json`, brings: "records what your agent does", ...offer };
    }
    case "sessions":
      return {
        found: `${plural(finding.files, "session file")} of ${finding.title}`,
        brings: "reads them after asking; then skills extract shows what the good ones have in common",
        kind: "command",
        lines: [typedCommand(["import", "--from", finding.name])],
      };
    case "export":
      return {
        found: finding.files === 1 ? name : `${name} and ${finding.files - 1} more by that kind of name`,
        brings: "brings it into the store: outcomes, loops, costs, skills",
        kind: "command",
        lines: [typedCommand(["import", name])],
      };
    case "results":
    default:
      return {
        found: `${name} and ${cleanLine(finding.other)}`,
        brings: "says better, worse or tied, by a paired test",
        kind: "command",
        lines: [typedCommand(["compare", name, cleanLine(finding.other)])],
      };
  }
}

/** Where nothing was found. */
export function otherOffers(): readonly Offer[] {
  const of = (found: string, brings: string, ...words: readonly string[]): Offer => ({
    found,
    brings,
    kind: "command",
    lines: [typedCommand(words)],
  });
  return [
    of("No agent was found here. To see one learn", "two minutes, a small model in this process", "demo"),
    of("To begin a world, or an agent without a key", "writes a small project that works", "init", "my-agent"),
  ];
}
