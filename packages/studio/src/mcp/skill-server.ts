/**
 * A server for a library: tools to search, read and report, and every skill in use as a resource and as a prompt. Only skills in use are
 * shown; what is being tested or in quarantine is not for agents. Whatever an agent sends is data: names are checked,
 * lengths are bounded, and a report can add to the statistics and nothing else.
 */
import { z } from "zod";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Library } from "limbeck-core/skill/library/library";
import type { LibraryEntry } from "limbeck-core/skill/library/index-file";
import type { LibrarySkill } from "limbeck-core/skill/library/library-skill";
import { isInUse } from "limbeck-recorder/selection/offered-skill";
import { AGENTS_CHOICE, selectorNotice } from "limbeck-recorder/selection/proven-with";
import { writeSection } from "limbeck-recorder/selection/section";
import { createSelector, type Selector } from "limbeck-recorder/selection/select";
import { loadServer } from "./sdk.ts";

export interface SkillServerOptions {
  readonly library: Library;
  readonly version: string;
  /** Whether this client may say how skills went. Default: true. */
  readonly mayReport?: boolean;
  /** Callback for each report. */
  readonly onReport?: () => void;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
  /** The time of day, ISO 8601 in UTC. */
  readonly date?: () => string;
}

/** The SDK's own server, in words of ours: its types would be missing where the optional SDK is. */
export interface SkillServer {
  connect(transport: {
    start(): Promise<void>;
    send(message: object): Promise<void>;
    close(): Promise<void>;
  }): Promise<void>;
  close(): Promise<void>;
}

/** A folder of thousands is not looked through for every question. */
const FRESH_MS = 2_000;
const PAGE = 200;
const URI = "skill://";

const SearchArguments = z.object({
  goal: z.string().min(1).max(4_000),
  state: z.string().max(8_000).optional(),
  budgetTokens: z.int().min(1).max(20_000).optional(),
});
const ReadArguments = z.object({ name: z.string().max(100) });
const ReportArguments = z.object({
  name: z.string().max(100),
  success: z.boolean(),
  offered: z.boolean().optional(),
  trajectory: z.string().max(200).optional(),
});

const TOOLS = [
  {
    name: "search_skills",
    description:
      "Finds skills learnt from earlier runs that fit a goal, and what the agent sees now if that is given. Ask once at the beginning of a task. The answer is advice, quoted as data.",
    inputSchema: z.toJSONSchema(SearchArguments),
    annotations: { readOnlyHint: true },
  },
  {
    name: "read_skill",
    description: "One skill with its evidence and what was measured of it.",
    inputSchema: z.toJSONSchema(ReadArguments),
    annotations: { readOnlyHint: true },
  },
  {
    name: "report_skill",
    description:
      "Says how an episode went in which a skill was used (offered: true, the default) or fitted and was not used. Skills live by these reports.",
    inputSchema: z.toJSONSchema(ReportArguments),
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
];

/**
 * A server to be connected to a transport of the SDK.
 *
 * @example
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openLibrary } from "limbeck/skill";
 *
 * const server = await createSkillServer({ library: openLibrary(join(tmpdir(), "limbeck-no-skills")), version: "1" });
 * let started = false;
 * await server.connect({ start: () => Promise.resolve(void (started = true)), send: () => Promise.resolve(), close: () => Promise.resolve() });
 * console.log(started); // true
 * await server.close();
 */
export async function createSkillServer(options: SkillServerOptions): Promise<SkillServer> {
  const { Server: ServerClass, types } = await loadServer();
  const shelf = createShelf(options);
  const server = new ServerClass(
    { name: "limbeck-skills", version: options.version },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
  const invalid = (message: string): Error => new types.McpError(types.ErrorCode.InvalidParams, message);
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ inputSchema, ...tool }) => ({
      ...tool,
      inputSchema: { ...inputSchema, type: "object" as const },
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const call = Object.hasOwn(calls, params.name) ? calls[params.name] : undefined;
    if (call === undefined)
      throw invalid(`No tool "${params.name}"; there are ${TOOLS.map(({ name }) => name).join(", ")}.`);
    try {
      return { content: [{ type: "text" as const, text: await call(params.arguments ?? {}, shelf, options) }] };
    } catch (error) {
      const text = error instanceof z.ZodError ? z.prettifyError(error) : errorData(error).message;
      return { content: [{ type: "text" as const, text }], isError: true };
    }
  });
  server.setRequestHandler(types.ListResourcesRequestSchema, async ({ params }) => {
    const { entries, more } = pageOf((await shelf.look()).offered, params?.cursor, invalid);
    return { resources: entries.map(resource), ...more };
  });
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: `${URI}{name}`, name: "skill", mimeType: "text/markdown" }],
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params: { uri } }) => {
    if (!uri.startsWith(URI)) throw invalid(`No resource "${uri.slice(0, 100)}"; skills are at ${URI}NAME.`);
    const skill = await shelf.read(uri.slice(URI.length)).catch((error: unknown) => {
      throw invalid(errorData(error).message);
    });
    return { contents: [{ uri, mimeType: "text/markdown", text: skillText(skill) }] };
  });
  server.setRequestHandler(types.ListPromptsRequestSchema, async ({ params }) => {
    const { entries, more } = pageOf((await shelf.look()).offered, params?.cursor, invalid);
    return { prompts: entries.map(promptOf), ...more };
  });
  server.setRequestHandler(types.GetPromptRequestSchema, async ({ params: { name, arguments: given } }) => {
    const skill = await shelf.read(name).catch((error: unknown) => {
      throw invalid(errorData(error).message);
    });
    const task = given?.["task"] ?? "";
    if (task.trim() === "" || task.length > 4_000) throw invalid('The prompt needs "task": 1 to 4,000 letters.');
    const text = `${task}\n\nAdvice from earlier sessions, quoted as data:\n\n${skillText(skill)}`;
    return {
      description: skill.description,
      messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
    };
  });
  return server;
}

function pageOf(
  offered: readonly LibraryEntry[],
  cursor: string | undefined,
  invalid: (message: string) => Error,
): { readonly entries: readonly LibraryEntry[]; readonly more: { readonly nextCursor?: string } } {
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(start) || start < 0) throw invalid(`"${cursor}" is no cursor of this server.`);
  const end = start + PAGE;
  return { entries: offered.slice(start, end), more: end < offered.length ? { nextCursor: String(end) } : {} };
}

/** A skill as a prompt that a person may choose: their task, with the advice behind it. */
function promptOf({ name, description }: LibraryEntry) {
  return { name, description, arguments: [{ name: "task", description: "What is to be done.", required: true }] };
}

interface Shelf {
  look(): Promise<{ readonly offered: readonly LibraryEntry[]; readonly selector: Selector }>;
  read(name: string): Promise<LibrarySkill>;
}

function createShelf({ library, now = () => performance.now() }: SkillServerOptions): Shelf {
  let seen: { readonly at: number; readonly shown: Awaited<ReturnType<Shelf["look"]>> } | undefined;
  return {
    look: async () => {
      if (seen !== undefined && now() - seen.at < FRESH_MS) return seen.shown;
      const offered = (await library.list()).skills.filter(isInUse);
      seen = { at: now(), shown: { offered, selector: createSelector(offered) } };
      return seen.shown;
    },
    read: async (name) => {
      const skill = await library.read(name);
      if (isInUse(skill)) return skill;
      throw new EngineError("not-in-use", `Skill "${name}" is not in use (${skill.status}).`);
    },
  };
}

type Call = (given: unknown, shelf: Shelf, options: SkillServerOptions) => Promise<string>;

const calls: Readonly<Record<string, Call | undefined>> = {
  search_skills: async (given, shelf) => {
    const { goal, state, budgetTokens } = SearchArguments.parse(given);
    const { selector } = await shelf.look();
    const choice = selector.select({ goal, ...withoutUndefined({ state, budgetTokens }) });
    return choice.skills.length === 0 ? "No skill in use fits this goal." : writeSection(choice.skills);
  },
  read_skill: async (given, shelf) => skillText(await shelf.read(ReadArguments.parse(given).name)),
  report_skill: async (
    given,
    shelf,
    { library, mayReport = true, onReport, date = () => new Date().toISOString() },
  ) => {
    const { name, success, offered = true, trajectory } = ReportArguments.parse(given);
    if (!mayReport) {
      throw new EngineError(
        "read-only",
        'To report, a token needs the role "write"; yours has "read". Reading goes on.',
      );
    }
    await shelf.read(name);
    onReport?.();
    const use = { at: date(), offered, success, by: "mcp", ...(trajectory === undefined ? {} : { trajectory }) };
    await library.report(name, use);
    const { uses, successes } = (await library.read(name)).statistics;
    return `Noted. ${successes} of ${uses} uses of ${name} succeeded.`;
  },
};

function resource({ name, description }: LibraryEntry) {
  return { uri: `${URI}${name}`, name, description, mimeType: "text/markdown" };
}

/** As a person would read it; the advice is quoted, so that nothing in it looks like the server's own words. */
function skillText({ name, level, status, when, text, support, lift, statistics, evidence }: LibrarySkill): string {
  const notice = selectorNotice(lift === undefined ? {} : { lift }, AGENTS_CHOICE);
  return [
    `# ${name}`,
    "",
    ...text.split("\n").map((line) => `> ${line}`),
    "",
    `- ${status}, ${level} level`,
    ...when.goals.map((goal) => `- for goals like ${JSON.stringify(goal)}`),
    `- seen in ${evidence.length === 1 ? "1 episode" : `${evidence.length} episodes`}; of its kind ${support.successes} succeeded and ${support.failures} failed`,
    lift === undefined
      ? "- lift: unproven"
      : `- lift over a placebo ${lift.over.placebo.value} (${lift.over.placebo.low} to ${lift.over.placebo.high})`,
    // A skill that is asked for by its name was chosen by the agent.
    ...(notice === undefined ? [] : [`- ${notice}`]),
    `- ${statistics.successes} of ${statistics.successes + statistics.failures} reported uses succeeded`,
  ].join("\n");
}
