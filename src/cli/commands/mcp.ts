/** `limbeck mcp`: the skill library as an MCP server. */
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { accessOptions, forOption, givenAccess, givenPort, givenTime, serveUntilOver } from "../listening.ts";
import { usageError } from "../parse.ts";
import { until } from "../until.ts";
import { flag, shared, text } from "../options.ts";

export const mcp: Command = {
  group: "learn",
  summary: "Offer the skill library to agents over MCP",
  usage: "[--library DIR] [--http [--port NUMBER] [--token TEXT]]",
  description:
    "Over standard input and output unless --http is given. Tools: search_skills, read_skill, report_skill; every skill in use is a resource, skill://NAME. Skills that are being tested or in quarantine are not shown.\n" +
    "With --http it listens on this machine only and asks for a token, which is printed; LIMBECK_MCP_TOKEN or --token sets one. Needs the package @modelcontextprotocol/sdk.",
  options: {
    library: shared.library,
    http: flag("Serve streamable HTTP instead of standard input and output"),
    port: text("NUMBER", "With --http: port. Default: 4145; 0 for any"),
    token: text("TEXT", "With --http: the token agents show. Default: a new one"),
    ...accessOptions,
    for: forOption,
  },
  examples: [
    "limbeck mcp --library skills",
    "limbeck mcp --http --port 0",
    'claude mcp add skills -- npx limbeck mcp --library "$PWD/skills"',
  ],
  jsonFields: {
    event: '"listening", with --http',
    url: "address of the server",
    token: "what agents show as a bearer token",
    library: "folder of the library",
  },
  natives: ["mcp"],
  run: serve,
};

const SHORTEST_TOKEN = 16;

async function serve(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const { givenLibrary } = await import("../skills/open-given.ts");
  const { packageVersion } = await import("../../base/package-info.ts");
  const { serveOverHttp, serveOverStdio } = await import("../../mcp/index.ts");
  const library = givenLibrary(invocation);
  const lastsMs = givenTime(invocation, "for");
  const options = { library, version: packageVersion() };
  if (!invocation.flag("http")) {
    const stop = new AbortController();
    const over = until(io.signal, lastsMs).then(() => stop.abort());
    await serveOverStdio(options, stop.signal);
    if (io.signal.aborted) await over;
    return EXIT.done;
  }
  const token = invocation.text("token") ?? io.env["LIMBECK_MCP_TOKEN"] ?? (await newToken());
  if (token.length < SHORTEST_TOKEN) throw usageError(`A token needs at least ${SHORTEST_TOKEN} letters.`);
  const port = givenPort(invocation, "4145");
  const access = await givenAccess(invocation);
  const server = await serveOverHttp({ ...options, token, port, ...access });
  const shown = { url: server.url, token, library: library.root };
  await serveUntilOver(invocation, server, {
    announce: () => announce(invocation, shown),
    lastsMs,
    audit: access.audit,
  });
  return EXIT.done;
}

function announce(
  invocation: Invocation,
  { url, token, library }: { readonly url: string; readonly token: string; readonly library: string },
): void {
  if (invocation.json) {
    invocation.printJson({ event: "listening", url, token, library });
    return;
  }
  invocation.print(`Skills of ${library} at ${invocation.style.cyan(url)}`);
  invocation.print(`Agents show this header: Authorization: Bearer ${token}`);
  invocation.note(invocation.style.dim("Ctrl-C ends."));
}

async function newToken(): Promise<string> {
  const { randomBytes } = await import("node:crypto");
  return randomBytes(24).toString("base64url");
}
