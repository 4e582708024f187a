/**
 * Who may ask. The server runs on a person's machine, where any page of a browser and any user can reach its port, so
 * every request shows the token of this start, and browsers also have to come from the studio's own pages.
 */
import { EngineError, type EngineErrorCode } from "../../base/index.ts";
import { isLoopback } from "../../base/listen.ts";
import { isSameSecret } from "../../base/http.ts";

export interface GuardOptions {
  readonly token: string;
  /** The name the server was told to listen on. */
  readonly host: string;
  readonly port: () => number;
}

export interface AskedBy {
  readonly method: string;
  readonly header: (name: string) => string | undefined;
}

export interface Guard {
  /** Name of the cookie. Cookies are shared by all ports of a host, so the port is part of it. */
  readonly cookie: () => string;
  readonly isToken: (given: string | undefined) => boolean;
  /** Throws when the request comes from elsewhere; checked before anything else. */
  readonly checkPlace: (asked: AskedBy) => void;
  /** Throws when the request shows no token. */
  readonly checkToken: (asked: AskedBy) => void;
}

export function createGuard({ token, host, port }: GuardOptions): Guard {
  const isToken = (given: string | undefined): boolean => given !== undefined && isSameSecret(given, token);
  const cookie = (): string => `limbeck-studio-${port()}`;
  return {
    cookie,
    isToken,
    checkPlace: ({ method, header }) => {
      const asked = header("host") ?? "";
      // A foreign name that points at this machine (DNS rebinding) would make foreign pages "same origin".
      if (isLoopback(host) && !(isLoopback(nameOf(asked)) && portOf(asked) === port())) {
        throw refused("bad-host", `This server does not answer for "${asked}"; use the address it printed.`);
      }
      const origin = header("origin");
      if (origin !== undefined && !(origin === `http://${asked}` || origin === `https://${asked}`)) {
        throw refused("bad-origin", `Pages of ${origin} may not ask this server.`);
      }
      const site = header("sec-fetch-site");
      const navigates = header("sec-fetch-mode") === "navigate" && method === "GET";
      if (site !== undefined && site !== "same-origin" && site !== "none" && !navigates) {
        throw refused("bad-origin", "Pages of other sites may not ask this server.");
      }
      const own = origin !== undefined || site === "same-origin" || header("authorization") !== undefined;
      if (method !== "GET" && method !== "HEAD" && !own) {
        throw refused("bad-origin", "A request that changes something has to say where it comes from.");
      }
    },
    checkToken: ({ header }) => {
      const bearer = /^Bearer (.+)$/i.exec(header("authorization") ?? "")?.[1];
      if (isToken(bearer) || isToken(cookieOf(header("cookie"), cookie()))) return;
      throw new EngineError(
        "unauthorised",
        'This page has no valid token. Open the address that "limbeck studio" printed; after a restart it is a new one.',
      );
    },
  };
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, "");
}

function portOf(host: string): number {
  return Number(/:(\d+)$/.exec(host)?.[1] ?? 80);
}

function refused(code: EngineErrorCode, message: string): EngineError {
  return new EngineError(code, message);
}
