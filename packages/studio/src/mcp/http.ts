/**
 * Over streamable HTTP, on this machine. Every request shows the token; a browser's page from elsewhere and a foreign name
 * for this machine are refused. No sessions: each request is answered by a server of its own, so nothing is left behind.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorData } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import { accessOf, type Routes, type ServerAccess } from "limbeck-base/base/access";
import { bearerOf, createGuardedServer, hasRole, markChange, type Refusal } from "limbeck-base/base/guarded-server";
import { closeServer, listenAt } from "limbeck-base/base/listen";
import { optionalPart } from "limbeck-base/base/optional-part";
import { readBytes } from "limbeck-base/base/http";
import { createGuard, type Guard } from "../serve/http/guard.ts";
import { createSkillServer, type SkillServerOptions } from "./skill-server.ts";

export interface HttpOptions extends SkillServerOptions, ServerAccess {
  readonly token: string;
  readonly port: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
}

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

const PATH = "/mcp";
/** What a request asks for stands in its body; the tool that changes something looks at the role by itself. */
export const MCP_ROUTES = { [`POST ${PATH}`]: "read" } as const satisfies Routes;
const LARGEST_BODY = 1024 * 1024;

/**
 * Serves a library until it is closed.
 *
 * @example
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openLibrary } from "limbeck/skill";
 *
 * const [library, token] = [openLibrary(join(tmpdir(), "limbeck-no-skills")), "a-token-that-is-long-enough"];
 * const server = await serveOverHttp({ library, version: "1", token, port: 0 });
 * const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
 * const accept = "application/json, text/event-stream";
 * const headers = { accept, "content-type": "application/json", authorization: `Bearer ${token}` };
 * console.log((await (await fetch(server.url, { method: "POST", headers, body })).text()).includes("search_skills")); // true
 * await server.close();
 */
export async function serveOverHttp(options: HttpOptions): Promise<HttpServer> {
  checkOptions("serveOverHttp", options, { port: may.port });
  const { host = "127.0.0.1", port, token } = options;
  // Loaded before the address is given out.
  const { StreamableHTTPServerTransport } = await optionalPart(
    "mcp",
    () => import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
  );
  const guard = createGuard({ host, port: () => (http.address() as AddressInfo).port });
  const guarded = {
    name: "mcp",
    host,
    ...accessOf(options),
    secret: token,
    routes: MCP_ROUTES,
    shownBy: ({ headers }: IncomingMessage) => bearerOf(headers),
    unknown: "This server needs the token that was printed when it started.",
    mostBytes: LARGEST_BODY,
    refuse: (response: ServerResponse, { status, message }: Refusal): void => refuse(response, status, message),
  };
  const http = createGuardedServer(guarded, (request, response) => {
    const answered = answer(request, response, guard, async (body) => {
      const server = await createSkillServer({
        ...options,
        mayReport: hasRole(request, "write"),
        onReport: () => markChange(request),
      });
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      response.on("close", () => void server.close());
      await server.connect(transport);
      await transport.handleRequest(request, response, body);
    });
    answered.catch(() => response.destroy());
  });
  const { url } = await listenAt(http, { host, port }, "The server of skills");
  return { url: `${url}${PATH}`, close: () => closeServer(http) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  guard: Guard,
  serve: (body: unknown) => Promise<void>,
): Promise<void> {
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  try {
    guard.checkPlace({ method: request.method ?? "GET", header });
  } catch (error) {
    return refuse(response, 403, errorData(error).message);
  }
  if ((request.url ?? "").split("?")[0] !== PATH) return refuse(response, 404, `MCP is served at ${PATH}.`);
  if (request.method !== "POST")
    return refuse(response, 405, "This server keeps no streams open; send requests with POST.");
  const bytes = await readBytes(request, LARGEST_BODY);
  if (bytes === undefined) return refuse(response, 413, `A request has at most ${LARGEST_BODY} bytes.`);
  const body = parseJson(bytes.toString());
  if (body === undefined) return refuse(response, 400, "The request is no JSON.");
  await serve(body);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const allow = status === 405 ? { allow: "POST" } : {};
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...allow });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }));
}
