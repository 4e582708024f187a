/** Asks the studio's server as a program does, over real HTTP. */
import { request } from "node:http";
import type { Answer, EndpointName } from "../../packages/studio/src/serve/api.ts";
import { endpoints } from "../../packages/studio/src/serve/api.ts";
import { startStudio, type Studio, type StudioOptions } from "../../packages/studio/src/serve/server.ts";

export interface Client {
  readonly studio: Studio;
  /** The answer, or the error as an object with a status. `ids` fill the places of the path. */
  ask<Name extends EndpointName>(name: Name, given?: Given): Promise<Answer<Name>>;
  fail(name: EndpointName, given?: Given): Promise<{ status: number; code: string; message: string }>;
}

export interface Given {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: unknown;
}

export async function studioClient(options: Omit<StudioOptions, "version">): Promise<Client> {
  const studio = await startStudio({ version: "1.2.3", followEveryMs: 20, ...options });
  const send = async (name: EndpointName, { ids = {}, query = {}, body }: Given): Promise<Response> => {
    const { path, method } = endpoints[name];
    const filled = path.replace(/\{(\w+)\}/g, (_, id: string) => encodeURIComponent(ids[id] ?? ""));
    const address = new URL(filled, studio.url);
    for (const [key, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) address.searchParams.append(key, String(one));
    }
    const headers = { authorization: `Bearer ${studio.token}`, "content-type": "application/json" };
    return await fetch(address, {
      method: method.toUpperCase(),
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  return {
    studio,
    ask: async (name, given = {}) => {
      const response = await send(name, given);
      const text = await response.text();
      if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
      return JSON.parse(text) as Answer<typeof name>;
    },
    fail: async (name, given = {}) => {
      const response = await send(name, given);
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      return { status: response.status, code: error.code, message: error.message };
    },
  };
}

export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request with any headers, also those that `fetch` sets itself. */
export async function rawRequest(url: string, headers: Record<string, string>, method = "GET"): Promise<Sent> {
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString(),
        }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

export interface Heard {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
}

/** Server-sent events, one after the other, until the consumer stops. */
export async function* hear(address: string, token: string, last?: string): AsyncGenerator<Heard> {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...(last === undefined ? {} : { "last-event-id": last }) };
  const response = await fetch(address, { headers, signal: stop.signal });
  let text = "";
  try {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString();
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
        const event = field("event");
        if (event !== undefined)
          yield { event, id: field("id"), data: JSON.parse(field("data") ?? "{}") as Heard["data"] };
      }
    }
  } finally {
    stop.abort();
  }
}
