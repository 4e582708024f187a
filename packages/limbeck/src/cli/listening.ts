/** What commands that listen or wait share: where, for how long, and how they say that something went wrong. */
import { resolve } from "node:path";
import type { ServerAccess } from "limbeck-base/base/access";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import type { Input } from "limbeck-base/base/operation";
import { packageVersion } from "limbeck-base/base/package-info";
import { tlsInputs } from "limbeck-base/base/tls.inputs";
import type { Tls } from "limbeck-base/base/tls";
import type { Invocation } from "./command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { plainText } from "limbeck-base/base/plain-file";
import { usageError } from "./parse.ts";

export const lastsInput = { lasts: input.time("End by itself after this time", { flag: "for" }) };

/** Who may ask, and where it is written down. */
export const accessInputs = {
  tokens: input.path("FILE", 'Tokens of people and programs, with roles; "limbeck tokens" makes it. Default: none'),
  audit: input.path("FILE", "Log of what is refused and what changes something, as JSON lines. Default: none"),
  ...lastsInput,
};

export function serverInputs(port: number) {
  return {
    port: input.count("NUMBER", "Port to listen on; 0 for any", { least: 0, default: port }),
    host: input.text("ADDRESS", "Address to listen on. Default: 127.0.0.1 (this machine only)"),
    ...tlsInputs,
    ...accessInputs,
  };
}

/** Of servers that go on after a fault. */
export const problemEvent = { message: "what went wrong and what to do" };

type Given = Partial<Input<ReturnType<typeof serverInputs>>>;

export interface Serving extends ServerAccess {
  readonly host?: string;
  readonly version: string;
  readonly onProblem: (message: string) => void;
}

/** Starts a server where the options say, announces it, waits for Ctrl-C or until its time is over, and closes it. */
export async function serve<Server extends { readonly close: () => Promise<void> }>(
  given: Given,
  frame: Invocation,
  start: (place: Serving) => Promise<Server>,
  announce: (server: Server, place: Serving) => void | Promise<void>,
): Promise<Server> {
  const { tokens, audit, host, lasts } = given;
  const onProblem = (message: string): void => {
    if (frame.json) frame.printJson({ event: "problem", message });
    else frame.note(`! ${cleanLine(message)}`);
  };
  const pathOf = (file: string): string => resolve(frame.io.cwd, file);
  // Opened before the server listens: a file that cannot be read or written is an error then.
  const place: Serving = {
    version: packageVersion(),
    onProblem,
    ...withoutUndefined({ host }),
    tls: await readTls(frame.io, given),
    tokens: tokens === undefined ? tokens : (await import("limbeck-base/base/tokens-file")).openTokens(pathOf(tokens)),
    audit:
      audit === undefined
        ? audit
        : (await import("limbeck-base/base/audit-log")).openAudit(pathOf(audit), { onProblem }),
  };
  const server = await start(place);
  try {
    await announce(server, place);
    await until(frame.io.signal, lasts);
  } finally {
    await server.close();
    await place.audit?.close();
  }
  return server;
}

/** Both files, or neither. */
export async function readTls(
  { cwd }: Pick<Invocation["io"], "cwd">,
  { tlsCert, tlsKey }: Pick<Given, "tlsCert" | "tlsKey">,
): Promise<Tls | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw usageError("--tls-cert and --tls-key belong together: a certificate and its private key.");
  }
  const read = async (file: string): Promise<string> =>
    await plainText(resolve(cwd, file)).catch((cause: unknown) => {
      const [path, why] = [resolve(cwd, file), cause instanceof Error ? cause.message : String(cause)];
      throw new EngineError("file-unreadable", `"${path}" cannot be read: ${why}.`, { details: { path }, cause });
    });
  return { cert: await read(tlsCert), key: await read(tlsKey) };
}

/** Resolves when it is stopped, or after a time. */
export async function until(signal: AbortSignal, ms: number | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
