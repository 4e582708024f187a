/** Who may do what on a server. Without Node's types: options of public functions name it. */
import type { Tls } from "./tls.ts";

/**
 * What a token lets its holder do. Each role includes those before it.
 * - `read`: look, ask a model, play a world. Nothing that is kept changes.
 * - `write`: also change what is kept: judgements, skills, recordings.
 * - `train`: also change weights and checkpoints.
 */
export const ROLES = ["read", "write", "train"] as const;
export type Role = (typeof ROLES)[number];

export interface Caller {
  readonly name: string;
  readonly role: Role;
}

/** The people and programs that a server knows. */
export interface Tokens {
  /** Undefined for a token that is unknown or has ended. */
  find(token: string): Caller | undefined;
}

/** One line of the log of what was refused and what was changed. No token, no query and no body is in it. */
export interface AuditEntry {
  readonly server: string;
  /** Null where no known token was shown. */
  readonly who: string | null;
  /** The address that the connection came from. */
  readonly from: string;
  readonly method: string;
  readonly path: string;
  /** What the request needs. */
  readonly role: Role | "open";
  readonly status: number;
  /** Why it was refused. */
  readonly refused?: string;
}

export interface Audit {
  write(entry: AuditEntry): void;
  /** What was written is on the disk then. */
  close(): Promise<void>;
}

/** How a server is reached, and by whom. */
export interface ServerAccess {
  /** Certificate and key, as PEM texts. Default: plain HTTP. */
  readonly tls?: Tls | undefined;
  /** Tokens of people and programs, with their roles. Default: none. */
  readonly tokens?: Tokens | undefined;
  /** Audit log: what was refused, and what changes something. Default: none. */
  readonly audit?: Audit | undefined;
}

/** The same out of all the options of a server. */
export function accessOf({ tls, tokens, audit }: ServerAccess): ServerAccess {
  return { tls, tokens, audit };
}

/**
 * What each request needs: "GET /api/runs/{run}" with {name} for one part of the path, "*" at its end for any rest, "*" for any
 * method. The first that fits counts. What is not here needs `read` to be asked and `train` in any other method, so that a path
 * which a server reads in another way than the guard opens nothing.
 */
export type Routes = Readonly<Record<string, Role | "open">>;

export function includesRole(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed);
}

/** Compiled once; asked for every request. */
export function createRoleFinder(routes: Routes): (method: string, path: string) => Role | "open" {
  const known = Object.entries(routes).map(([key, role]) => {
    const [method = "", path = ""] = key.split(" ");
    return { method, parts: path.split("/"), role };
  });
  return (asked, path) => {
    const method = asked === "HEAD" ? "GET" : asked;
    const parts = path.split("/");
    const found = known.find((route) => ["*", method].includes(route.method) && fits(route.parts, parts));
    return found?.role ?? (["GET", "OPTIONS"].includes(method) ? "read" : "train");
  };
}

function fits(wanted: readonly string[], parts: readonly string[]): boolean {
  const open = wanted.at(-1) === "*";
  if (open ? parts.length < wanted.length : parts.length !== wanted.length) return false;
  return wanted.every((want, at) => {
    if (open && at === wanted.length - 1) return true;
    return want.startsWith("{") ? parts[at] !== "" : want === parts[at];
  });
}
