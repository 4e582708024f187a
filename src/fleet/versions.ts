/** The versions of a training, for its workers: in a folder, by hash, and over HTTP where workers do not see the folder. */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { statIfThere } from "../base/files.ts";
import type { Audit, Routes } from "../base/access.ts";
import { bearerOf, createGuardedServer } from "../base/guarded-server.ts";
import type { Tls } from "../base/tls.ts";
import { closeServer, listenAt } from "../base/listen.ts";
import type { WeightsHere } from "../training/index.ts";
import type { PolicyFiles, PolicySource } from "./job.ts";
import { describePolicy } from "./policy-files.ts";

export interface Versions {
  /** Writes the present weights down and says where they are. */
  publish(version: number): Promise<PolicyFiles>;
  readonly url: string | undefined;
  close(): Promise<void>;
}

export interface VersionsOptions {
  readonly dir: string;
  readonly share: Pick<WeightsHere, "write">;
  /** Versions kept on disk: those that queued work may still name. */
  readonly keep: number;
  /** Also over HTTP, at this address. `announced` is how workers reach it. Default: the address itself. */
  readonly serve?: {
    readonly host: string;
    readonly port: number;
    readonly announced?: string;
    readonly tls?: Tls | undefined;
    /** Told of what is refused. Default: nobody. */
    readonly audit?: Audit | undefined;
  };
}

export async function openVersions(options: VersionsOptions): Promise<Versions> {
  const { dir, share, keep, serve } = options;
  await mkdir(dir, { recursive: true });
  const published = new Map<string, PolicyFiles>();
  const server = serve === undefined ? undefined : await serveVersions(dir, published, serve);
  const sources = (hash: string): PolicySource[] => [
    { kind: "folder", path: join(dir, hash) },
    ...(server === undefined ? [] : [{ kind: "http", url: server.url, token: server.token } as const]),
  ];
  return {
    url: server?.url,
    publish: async (version) => {
      const scratch = join(dir, `.writing-${randomBytes(4).toString("hex")}`);
      try {
        await share.write(scratch);
        const described = await describePolicy(scratch, version, []);
        const { hash } = described;
        if ((await statIfThere(join(dir, hash))) === undefined) await rename(scratch, join(dir, hash));
        const address = { ...described, sources: sources(hash) };
        // Equal weights may come back; they count as new.
        published.delete(hash);
        published.set(hash, address);
        for (const old of [...published.keys()].slice(0, -keep)) {
          published.delete(old);
          await rm(join(dir, old), { recursive: true, force: true });
        }
        return address;
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
    close: async () => {
      await server?.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The token of a training stands in its jobs; there are no others. */
export const VERSIONS_ROUTES = { "GET /versions/{hash}/{file}": "read" } as const satisfies Routes;

interface VersionServer {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

async function serveVersions(
  dir: string,
  published: ReadonlyMap<string, PolicyFiles>,
  { host, port, announced, tls, audit }: NonNullable<VersionsOptions["serve"]>,
): Promise<VersionServer> {
  // It stands in the jobs: who may read the queue may read the weights.
  const token = randomBytes(24).toString("base64url");
  const server = createGuardedServer(
    {
      name: "versions",
      host,
      tls,
      secret: token,
      audit,
      routes: VERSIONS_ROUTES,
      shownBy: ({ headers }) => bearerOf(headers),
      mostBytes: 0,
    },
    (request, response) => {
      answer(dir, published, request, response).catch(() => response.destroy());
    },
  );
  const { url } = await listenAt(server, { host, port }, "The server of weights");
  return {
    url: announced ?? url,
    token,
    close: () => closeServer(server),
  };
}

async function answer(
  dir: string,
  published: ReadonlyMap<string, PolicyFiles>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, hash = "", name = ""] = /^\/versions\/([0-9a-f]{64})\/([A-Za-z0-9._-]+)$/.exec(request.url ?? "") ?? [];
  // Only names that were published: nothing of the request becomes a path.
  const known = Object.hasOwn(published.get(hash)?.files ?? {}, name);
  if (!known || request.method !== "GET") {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": "application/octet-stream" });
  await pipeline(createReadStream(join(dir, hash, name)), response);
}
