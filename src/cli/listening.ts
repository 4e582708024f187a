/** What commands that listen or wait share: where, for how long, and how they say that something went wrong. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError } from "../base/errors.ts";
import type { Audit, Tokens } from "../base/access.ts";
import type { Tls } from "../base/tls.ts";
import type { Invocation, Option } from "./command.ts";
import { cleanLine } from "./look/clean-text.ts";
import { parseCount, parseDuration, usageError } from "./parse.ts";
import { until } from "./until.ts";
import { text } from "./options.ts";

export interface AddressOptions extends TlsOptions, AccessOptions {
  readonly port: Option;
  readonly host: Option;
}

interface TlsOptions {
  readonly "tls-cert": Option;
  readonly "tls-key": Option;
}

/** Also for servers whose address is given in another way. */
export const tlsOptions: TlsOptions = {
  "tls-cert": text("FILE", "Certificate, PEM: the server then speaks HTTPS. Default: plain HTTP"),
  "tls-key": text("FILE", "Its private key, PEM, without a password"),
};

interface AccessOptions {
  readonly tokens: Option;
  readonly audit: Option;
}

/** Who may ask, and where it is written down. */
export const accessOptions: AccessOptions = {
  tokens: text("FILE", 'Tokens of people and programs, with roles; "limbeck tokens" makes it. Default: none'),
  audit: text("FILE", "Log of what is refused and what changes something, as JSON lines. Default: none"),
};

export interface GivenAccess {
  readonly tokens: Tokens | undefined;
  readonly audit: Audit | undefined;
}

/** Both are opened before the server listens: a file that cannot be read or written is said then. */
export async function givenAccess(invocation: Invocation): Promise<GivenAccess> {
  const place = (option: string): string | undefined => {
    const file = invocation.text(option);
    return file === undefined ? undefined : resolve(invocation.io.cwd, file);
  };
  const [tokens, audit] = [place("tokens"), place("audit")];
  const { openTokens } = await import("../base/tokens-file.ts");
  const { openAudit } = await import("../base/audit-log.ts");
  return {
    tokens: tokens === undefined ? undefined : openTokens(tokens),
    audit: audit === undefined ? undefined : openAudit(audit, { onProblem: problemSink(invocation) }),
  };
}

/** Both files, or neither. */
export async function givenTls({ io, ...invocation }: Invocation): Promise<Tls | undefined> {
  const [cert, key] = [invocation.text("tls-cert"), invocation.text("tls-key")];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw usageError("--tls-cert and --tls-key belong together: a certificate and its private key.");
  }
  const [one, other] = await Promise.all([cert, key].map((file) => readGiven(resolve(io.cwd, file))));
  return { cert: one as string, key: other as string };
}

async function readGiven(path: string): Promise<string> {
  return await readFile(path, "utf8").catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("file-unreadable", `"${path}" cannot be read: ${why}.`, { details: { path }, cause });
  });
}

/** `--port` and `--host`, with the default port. */
export function addressOptions(port: string): AddressOptions {
  return {
    port: text("NUMBER", `Port to listen on. Default: ${port}; 0 for any`),
    host: text("ADDRESS", "Address to listen on. Default: 127.0.0.1 (this machine only)"),
    ...tlsOptions,
    ...accessOptions,
  };
}

export const forOption: Option = text("TIME", "End by itself after this time");

export function givenPort(invocation: Invocation, fallback: string): number {
  return parseCount(invocation.text("port") ?? fallback, "port", 0);
}

/** A length of time in milliseconds; undefined where none was given. */
export function givenTime(invocation: Invocation, option: string): number | undefined {
  const text = invocation.text(option);
  return text === undefined ? undefined : parseDuration(text, option);
}

/** Given to servers, which go on after it. */
export function problemSink(invocation: Invocation): (message: string) => void {
  return (message) => {
    if (invocation.json) invocation.printJson({ event: "problem", message });
    else invocation.note(`! ${cleanLine(message)}`);
  };
}

/** Announces a server, waits for Ctrl-C or until its time is over, and closes it whatever happens. */
export async function serveUntilOver(
  { io }: Invocation,
  server: { close(): Promise<void> },
  {
    announce,
    lastsMs,
    audit,
  }: {
    readonly announce: () => void | Promise<void>;
    readonly lastsMs: number | undefined;
    readonly audit?: Audit | undefined;
  },
): Promise<void> {
  try {
    await announce();
    await until(io.signal, lastsMs);
  } finally {
    await server.close();
    await audit?.close();
  }
}
