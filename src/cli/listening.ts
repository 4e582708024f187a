/** What commands that listen or wait share: where, for how long, and how they say that something went wrong. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError } from "../base/index.ts";
import type { Tls } from "../base/tls.ts";
import type { Invocation, Option } from "./command.ts";
import { cleanLine } from "./look/clean-text.ts";
import { parseCount, parseDuration, usageError } from "./parse.ts";
import { until } from "./until.ts";
import { text } from "./options.ts";

export interface AddressOptions extends TlsOptions {
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
  { announce, lastsMs }: { readonly announce: () => void | Promise<void>; readonly lastsMs: number | undefined },
): Promise<void> {
  try {
    await announce();
    await until(io.signal, lastsMs);
  } finally {
    await server.close();
  }
}
