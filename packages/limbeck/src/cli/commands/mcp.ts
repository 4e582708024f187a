/** `limbeck mcp`: the skill library as an MCP server. */
import { input } from "limbeck-base/base/input";
import { defineCommand } from "../command-of.ts";
import { accessInputs, serve, until, type Serving } from "../listening.ts";
import { usageError } from "../parse.ts";

const SHORTEST_TOKEN = 16;

export const mcp = defineCommand({
  group: "learn",
  summary: "Offer the skill library to agents over MCP",
  description:
    "Over standard input and output unless --http is given. Tools: search_skills, read_skill, report_skill; every skill in use is a resource, skill://NAME. Skills that are being tested or in quarantine are not shown.\n" +
    "With --http it listens on this machine only and asks for a token, which is printed; LIMBECK_MCP_TOKEN or --token sets one. Needs the package @modelcontextprotocol/sdk.",
  input: {
    library: input.path("DIR", 'Folder of the library. Default: "skills"'),
    http: input.flag("Serve streamable HTTP instead of standard input and output"),
    port: input.count("NUMBER", "With --http: port; 0 for any", { least: 0, default: 4145 }),
    token: input.text("TEXT", "With --http: the token agents show. Default: a new one"),
    ...accessInputs,
  },
  examples: [
    "limbeck mcp --library skills",
    "limbeck mcp --http --port 0",
    'claude mcp add skills -- npx limbeck mcp --library "$PWD/skills"',
  ],
  events: {
    listening: {
      event: "with --http",
      url: "address of the server",
      token: "what agents show as a bearer token",
      library: "folder of the library",
    },
  },
  natives: () => ["mcp"],
  run: async (input, frame) => {
    const { givenLibrary } = await import("limbeck-core/skill/library/given-library");
    const { packageVersion } = await import("limbeck-base/base/package-info");
    const { serveOverHttp } = await import("limbeck-studio/mcp/http");
    const { serveOverStdio } = await import("limbeck-studio/mcp/stdio");
    const { randomBytes } = await import("node:crypto");
    const { signal, environment, style } = frame;
    const library = givenLibrary(input, frame);
    if (!input.http) {
      const stop = new AbortController();
      const over = until(signal, input.lasts).then(() => stop.abort());
      await serveOverStdio({ library, version: packageVersion() }, stop.signal);
      if (signal.aborted) await over;
      return;
    }
    const token = input.token ?? environment["LIMBECK_MCP_TOKEN"] ?? randomBytes(24).toString("base64url");
    if (token.length < SHORTEST_TOKEN) throw usageError(`A token needs at least ${SHORTEST_TOKEN} letters.`);
    const start = (place: Serving) => serveOverHttp({ ...place, library, token, port: input.port });
    await serve(input, frame, start, ({ url }) => {
      frame.emit({ event: "listening", url, token, library: library.root });
      frame.print(`Skills of ${library.root} at ${style.cyan(url)}`);
      frame.print(`Agents show this header: Authorization: Bearer ${token}`);
      frame.note(style.dim("Ctrl-C ends."));
    });
  },
});
