/**
 * Where the programs of agents ask for words: OpenAI's two forms, at an address of this machine. Every program
 * has a path of its own, which cannot be guessed; its questions wait until they are answered.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { parseJson, type JsonObject } from "limbeck-base/base/json";
import { readBytes } from "limbeck-base/base/http";
import { createGuardedServer, type Refusal } from "limbeck-base/base/guarded-server";
import { closeServer, listenAt } from "limbeck-base/base/listen";
import { chatCompletions } from "./chat-completions.ts";
import type { ChatQuestion, Wire } from "./question.ts";
import { createResponses } from "./responses.ts";

export interface Desk {
  /** A path for one program. */
  open(onQuestion: (question: ChatQuestion) => void): Promise<{ readonly url: string; close(): Promise<void> }>;
}

interface Path {
  readonly onQuestion: (question: ChatQuestion) => void;
  /** The forms in which the program may speak, by what they are asked with. */
  readonly wires: Readonly<Record<string, Wire>>;
}

const MOST_BYTES = 32 * 1024 * 1024;

/** Listens while at least one path is open. */
export function createDesk(): Desk {
  const paths = new Map<string, Path>();
  let listening: Promise<{ readonly server: Server; readonly url: string }> | undefined;
  const listen = async (): Promise<{ readonly server: Server; readonly url: string }> => {
    // No tokens: the path of a program is its secret, and it lives as long as the program.
    const guard = { name: "desk", host: "127.0.0.1", pages: "machine", mostBytes: MOST_BYTES, routes: {} } as const;
    const server = createGuardedServer({ ...guard, requestMs: 0, refuse: turnAway }, (incoming, response) => {
      void serve(paths, incoming, response).catch(() => response.destroy());
    });
    // A long thought of the policy is no reason to hang up, and a program that waits no reason to live on.
    server.unref();
    const { url } = await listenAt(server, { host: "127.0.0.1", port: 0 }, "The agents' endpoint");
    return { server, url };
  };
  return {
    open: async (onQuestion) => {
      const path = randomUUID();
      const wires = { "POST v1/chat/completions": chatCompletions, "POST v1/responses": createResponses() };
      paths.set(path, { onQuestion, wires });
      listening ??= listen();
      const { server, url } = await listening;
      return {
        url: `${url}/${path}/v1`,
        close: async () => {
          if (!paths.delete(path) || paths.size > 0) return;
          listening = undefined;
          await closeServer(server);
        },
      };
    },
  };
}

async function serve(
  paths: ReadonlyMap<string, Path>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, name = "", ...rest] = (incoming.url ?? "/").split("?")[0]?.split("/") ?? [];
  const path = paths.get(name);
  if (path === undefined) return refuse(response, 404, "There is no agent at this address, or it is over.");
  const way = `${incoming.method} ${rest.join("/")}`;
  if (way === "GET v1/models") return json(response, { object: "list", data: [{ id: "limbeck", object: "model" }] });
  const wire = Object.hasOwn(path.wires, way) ? path.wires[way] : undefined;
  if (wire === undefined) {
    const served = [...Object.keys(path.wires), "GET v1/models"].join(", ");
    return refuse(response, 404, `${way} is not served here; there are ${served}.`);
  }
  const bytes = await readBytes(incoming, MOST_BYTES);
  if (bytes === undefined) return refuse(response, 413, `The request is larger than ${MOST_BYTES} bytes.`);
  const asked = wire.read(parseJson(bytes.toString()));
  if (typeof asked === "string") return refuse(response, 400, asked);
  path.onQuestion({
    ...asked,
    answer: (reply) => {
      if (!asked.stream) return json(response, wire.whole(asked, reply));
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.end(wire.events(asked, reply));
    },
  });
}

function json(response: ServerResponse, value: JsonObject, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, text: string): void {
  json(response, { error: { message: text, type: "invalid_request_error" } }, status);
}

function turnAway(response: ServerResponse, { status, message }: Refusal): void {
  refuse(response, status, message);
}
