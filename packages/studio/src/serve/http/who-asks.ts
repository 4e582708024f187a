/** Access to the studio: where requests show a token, the role that each needs, and the answer to refused ones. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Routes } from "limbeck-base/base/access";
import { bearerOf, type Refusal } from "limbeck-base/base/guarded-server";
import { endpoints, streams, type Endpoint } from "../api/endpoints.ts";
import { cookieOf } from "./guard.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { noTokenPage } from "./no-token-page.ts";

/** Playing and SQL change nothing that is kept. */
export const STUDIO_ROUTES: Routes = {
  ...Object.fromEntries(
    Object.values<Endpoint>(endpoints).map(({ method, path, needs = "read" }) => [
      `${method.toUpperCase()} ${path}`,
      needs,
    ]),
  ),
  ...Object.fromEntries(Object.values(streams).map(({ path }) => [`GET ${path}`, "read"])),
  "GET /api/openapi.json": "read",
  "GET /*": "read",
};

export const NO_TOKEN =
  'This page has no valid token. Open the address that "limbeck studio" printed; after a restart it is a new one.';

/** The opened address carries the token once, then a cookie does; programs send a header. */
export function shownToStudio({ method, url = "/", headers }: IncomingMessage, cookie: string): string | undefined {
  const query = url.indexOf("?");
  const given = query === -1 ? null : new URLSearchParams(url.slice(query)).get("token");
  if (given !== null && method === "GET") return given;
  return bearerOf(headers) ?? cookieOf(headers.cookie, cookie);
}

/** A sentence for a page opened in a browser; JSON for everything else. */
export function refuseFromStudio(response: ServerResponse, refusal: Refusal, request: IncomingMessage): void {
  const { status, code, message } = refusal;
  const asksForPage = !(request.url ?? "/").startsWith("/api/") && (request.headers.accept ?? "").includes("text/html");
  const page = code === "unauthorised" && asksForPage ? noTokenPage(status) : jsonPage(status, code, message);
  void page.text().then((text) => response.writeHead(status, Object.fromEntries(page.headers)).end(text));
}

function jsonPage(status: number, code: string, message: string): Response {
  const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
  return new Response(JSON.stringify({ error: { code, message } }), {
    status,
    headers: { ...SECURITY_HEADERS, ...headers },
  });
}
