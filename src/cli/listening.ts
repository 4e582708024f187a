/** What commands that listen or wait share: where, for how long, and how they say that something went wrong. */
import type { Invocation, Option } from "./command.ts";
import { cleanLine } from "./look/clean-text.ts";
import { parseCount, parseDuration } from "./parse.ts";
import { until } from "./until.ts";
import { text } from "./options.ts";

export interface AddressOptions {
  readonly port: Option;
  readonly host: Option;
}

/** `--port` and `--host`, with the default port. */
export function addressOptions(port: string): AddressOptions {
  return {
    port: text("NUMBER", `Port to listen on. Default: ${port}; 0 for any`),
    host: text("ADDRESS", "Address to listen on. Default: 127.0.0.1 (this machine only)"),
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
