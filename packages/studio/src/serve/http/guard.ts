/**
 * From where the studio may be asked, more strictly than other servers: its port is part of its name, and what changes something says
 * where it comes from, since a browser sends the cookie by itself. Tokens are checked by `base/guarded-server.ts`.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { isLoopback } from "limbeck-base/base/listen";

export interface GuardOptions {
  /** The host name the server listens on. */
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
  /** Throws when the request comes from elsewhere; checked before anything else. */
  readonly checkPlace: (asked: AskedBy) => void;
}

export function createGuard({ host, port }: GuardOptions): Guard {
  const cookie = (): string => `limbeck-studio-${port()}`;
  return {
    cookie,
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
  };
}

export function cookieOf(header: string | undefined, name: string): string | undefined {
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
