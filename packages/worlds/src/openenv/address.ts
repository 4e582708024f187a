/** Where an OpenEnv server is: one address for the routes, one for the socket, one for messages. */
import { EngineError } from "limbeck-base/base/errors";

export interface ServerAddress {
  /** Base of the routes, without a slash at its end. */
  readonly http: string;
  readonly socket: string;
  /** As messages name it: without what may be secret in it. */
  readonly shown: string;
  readonly headers: Readonly<Record<string, string>>;
}

const SCHEMES: Readonly<Record<string, readonly [http: string, socket: string]>> = {
  "http:": ["http:", "ws:"],
  "ws:": ["http:", "ws:"],
  "https:": ["https:", "wss:"],
  "wss:": ["https:", "wss:"],
};

/** Takes the base address or that of the socket, with either scheme. A key is sent as a bearer token. */
export function serverAddress(text: string, key?: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const schemes = url === undefined ? undefined : SCHEMES[url.protocol];
  if (url === undefined || schemes === undefined) {
    throw new EngineError(
      "bad-option",
      `"${text.slice(0, 200)}" is not the address of an OpenEnv server. Give url=ws://HOST:PORT, or with wss, http or https.`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/ws$/, "");
  const user = url.username === "" ? "" : `${url.username}:${url.password}@`;
  return {
    http: `${schemes[0]}//${url.host}${path}`,
    socket: `${schemes[1]}//${user}${url.host}${path}/ws`,
    shown: `${schemes[1]}//${url.host}${path}`,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  };
}
