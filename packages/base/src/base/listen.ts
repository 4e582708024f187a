// Kept in the declarations, which name types of Node: code that compiles against them has them then.
/// <reference types="node" preserve="true" />
/** A server at an address: errors name the address, the result is the real one. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { EngineError, errorCode } from "./errors.ts";

export interface Listening {
  /** The port it has; another than the one asked for where that was 0. */
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
}

/** Whether only this machine reaches an address. Brackets, as addresses of version 6 have them in a URL, may stand. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);
}

/** Listens; port 0 takes any that is free. `what` begins the message when it cannot: "The proxy". */
export async function listenAt(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  what: string,
): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((cause: unknown) => {
    const details = { host, port };
    if (errorCode(cause) === "EADDRINUSE") {
      throw new EngineError(
        "port-taken",
        `${what} cannot listen: port ${port} of ${host} is taken. Give another port, or 0 for any.`,
        { details, cause },
      );
    }
    const why = errorCode(cause) ?? "unknown";
    throw new EngineError(
      "bad-address",
      `${what} cannot listen at ${host}, port ${port} (${why}). Give an address of this machine.`,
      { details, cause },
    );
  });
  const given = (server.address() as AddressInfo).port;
  const scheme = "setSecureContext" in server ? "https" : "http";
  return { port: given, url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${given}` };
}

/** Takes no more connections and cuts those that are open. */
export async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
