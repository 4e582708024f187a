/**
 * A small HTTP service that stands in for yours: doors of a building, one of which has the parcel behind it.
 *
 *     POST /sessions {"seed": 3}               -> {"session": "1", "text": "…"}
 *     POST /sessions/1/actions {"text": "…"}   -> {"text": "…", "accepted": true, "done": false, "success": false}
 *     DELETE /sessions/1
 *
 * npm run serve starts it alone; npm test and npm run train start it themselves.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const DOORS = 6;

interface Session {
  readonly parcel: number;
  done: boolean;
}

export interface Service {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on this machine alone. Port 0 is any free one. */
export async function startService(port = 0): Promise<Service> {
  const sessions = new Map<string, Session>();
  let last = 0;
  const server = createServer((request, response) => {
    answer(request)
      .then(([status, body]) => send(response, status, body))
      .catch(() => send(response, 400, { error: "The request was not understood." }));
  });

  async function answer(request: IncomingMessage): Promise<readonly [number, object]> {
    const { method, url = "" } = request;
    const [, session = "", actions = ""] = /^\/sessions(?:\/(\w+))?(\/actions)?$/.exec(url) ?? [];
    if (!url.startsWith("/sessions")) return [404, { error: "There is /sessions." }];
    const body = method === "POST" ? await read(request) : {};
    if (method === "POST" && session === "") {
      last += 1;
      // The same seed gives the same building.
      sessions.set(String(last), { parcel: 1 + ((Number(body["seed"] ?? 0) * 7 + 3) % DOORS), done: false });
      return [201, { session: String(last), text: `A parcel lies behind one of the doors 1 to ${DOORS}.` }];
    }
    const found = sessions.get(session);
    if (found === undefined) return [404, { error: "There is no such session." }];
    if (method === "DELETE") return [200, { closed: sessions.delete(session) }];
    if (method !== "POST" || actions === "") return [405, { error: "POST to /actions, or DELETE." }];
    return [200, act(found, String(body["text"]))];
  }

  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  // A program whose other work is over may end while this listens.
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function act(session: Session, text: string): object {
  const door = Number(/^open door ([1-9])$/.exec(text)?.[1] ?? Number.NaN);
  if (session.done || !(door >= 1 && door <= DOORS)) return { accepted: false, done: session.done };
  session.done = door === session.parcel;
  const side = door < session.parcel ? "further right" : "further left";
  return {
    text: session.done ? "You found the parcel." : `Behind door ${door} is a note: ${side}.`,
    accepted: true,
    done: session.done,
    success: session.done,
  };
}

async function read(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as Readonly<Record<string, unknown>>;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
