/**
 * A server that speaks as much of S3 as the store uses, in memory: signatures are checked, PUT keeps If-None-Match and
 * If-Match, GET knows ranges, listings come in pages. It can be told to fail as real ones do.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signedHeaders } from "../../packages/store/src/store/object/signature.ts";

export const TEST_KEYS = { id: "TESTKEYOFLIMBECK", secret: "only-for-tests/+secret" };
export const TEST_BUCKET = "limbeck-test";

/** What goes wrong with one request. */
export type Trouble =
  /** 503 before anything is done. */
  | "busy"
  /** 500 after it was done. */
  | "broken"
  /** The connection goes before anything is done, or after it was done and before the answer. */
  | "cut-before"
  | "cut-after"
  /** Half of the body of the answer, then the connection goes. */
  | "half"
  /** No answer, ever. */
  | "silent";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
}

export interface ObjectServer {
  readonly url: string;
  readonly objects: Map<string, StoredObject>;
  /** Every request so far. */
  readonly seen: Seen[];
  /** Decides about each request. */
  trouble: (request: Seen) => Trouble | undefined;
  /** Names in a page of a listing. Default: 1,000. */
  pageNames: number;
  /** A listing in the place of the true one. */
  listing?: (query: Record<string, string>) => string | undefined;
  /** Keeps If-None-Match. Default: yes. */
  keepsConditions: boolean;
  /** Knows Range. Default: yes. */
  knowsRanges: boolean;
  close(): Promise<void>;
}

interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modified: Date;
  readonly metadata: Readonly<Record<string, string>>;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export async function startObjectServer(): Promise<ObjectServer> {
  const objects = new Map<string, StoredObject>();
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void takeBody(request).then((body) => {
      // The client went before all of it was here: nothing is done.
      if (body === undefined) return;
      const asked = { method: request.method ?? "", path: request.url ?? "", headers: request.headers };
      seen.push(asked);
      answer(asked, body, response);
    });
  });
  const answer = (asked: Seen, body: Buffer, response: ServerResponse): void => {
    const trouble = own.trouble(asked);
    if (trouble === "silent") return;
    if (trouble === "cut-before") return void response.socket?.destroy();
    const busy: Reply = { status: 503, body: fault("SlowDown", "Please reduce your request rate.") };
    const reply = trouble === "busy" ? busy : replyTo(own, asked, body);
    if (trouble === "cut-after") return void response.socket?.destroy();
    const sent: Reply =
      trouble === "broken" ? { status: 500, body: fault("InternalError", "We had a problem.") } : reply;
    const bytes = Buffer.from(sent.body ?? "");
    response.writeHead(sent.status, { "content-length": bytes.length, ...sent.headers });
    if (trouble === "half") {
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy());
      return;
    }
    response.end(asked.method === "HEAD" ? undefined : bytes);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own: ObjectServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    seen,
    trouble: () => undefined,
    pageNames: 1000,
    keepsConditions: true,
    knowsRanges: true,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return own;
}

/** The environment in which the store finds it. */
export function objectEnvironment(cache: string): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: TEST_KEYS.id, AWS_SECRET_ACCESS_KEY: TEST_KEYS.secret, LIMBECK_CACHE: cache };
}

async function takeBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function fault(code: string, message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}

function replyTo(server: ObjectServer, { method, path, headers }: Seen, body: Buffer): Reply {
  const url = new URL(path, server.url);
  const query = Object.fromEntries(url.searchParams);
  if (!isSigned({ method, path: url.pathname, query, headers, body })) {
    return { status: 403, body: fault("SignatureDoesNotMatch", "The signature does not match.") };
  }
  const [, bucket = "", ...rest] = decodeURIComponent(url.pathname).split("/");
  const key = rest.join("/");
  if (bucket !== TEST_BUCKET) return { status: 404, body: fault("NoSuchBucket", "There is no such bucket.") };
  const listing = key === "" ? server.listing?.(query) : undefined;
  if (listing !== undefined) return { status: 200, body: listing };
  if (key === "") return list(server, query);
  const found = server.objects.get(key);
  if (method === "PUT") {
    const none = headers["if-none-match"];
    const match = headers["if-match"];
    const fails = (none === "*" && found !== undefined) || (match !== undefined && found?.etag !== match);
    if (server.keepsConditions && fails) return { status: 412, body: fault("PreconditionFailed", "It does not hold.") };
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    const metadata = Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-")),
    ) as Record<string, string>;
    server.objects.set(key, { bytes: body, etag, modified: new Date(), metadata });
    return { status: 200, headers: { etag } };
  }
  if (method === "DELETE") {
    server.objects.delete(key);
    return { status: 204 };
  }
  if (found === undefined) return { status: 404, body: fault("NoSuchKey", "There is no such key.") };
  const common = { ...found.metadata, etag: found.etag, "last-modified": found.modified.toUTCString() };
  const from = server.knowsRanges ? /^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] : undefined;
  if (from === undefined)
    return { status: 200, headers: { ...common, "content-length": String(found.bytes.length) }, body: found.bytes };
  if (Number(from) >= found.bytes.length) return { status: 416, body: fault("InvalidRange", "Behind the end.") };
  const range = `bytes ${from}-${found.bytes.length - 1}/${found.bytes.length}`;
  return { status: 206, headers: { ...common, "content-range": range }, body: found.bytes.subarray(Number(from)) };
}

/** In the order of bytes, one page; names that share the part up to the delimiter count as one. */
function list({ objects, pageNames }: ObjectServer, query: Record<string, string>): Reply {
  const { prefix = "", delimiter = "", "continuation-token": token = "" } = query;
  const entries = new Map<string, string>();
  for (const key of [...objects.keys()].sort()) {
    if (!key.startsWith(prefix)) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const found = objects.get(key);
    const told = `<Size>${found?.bytes.length}</Size><ETag>${found?.etag.replaceAll('"', "&quot;")}</ETag>`;
    if (end >= 0) {
      const folder = key.slice(0, end + 1);
      entries.set(folder, `<CommonPrefixes><Prefix>${encodeURIComponent(folder)}</Prefix></CommonPrefixes>`);
    } else entries.set(key, `<Contents><Key>${encodeURIComponent(key)}</Key>${told}</Contents>`);
  }
  const after = token === "" ? "" : Buffer.from(token, "base64").toString();
  const left = [...entries].filter(([name]) => name > after);
  const page = left.slice(0, pageNames);
  const isCut = left.length > page.length;
  const next = Buffer.from(page.at(-1)?.[0] ?? "").toString("base64");
  const tail = isCut
    ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`
    : "<IsTruncated>false</IsTruncated>";
  return { status: 200, body: `<ListBucketResult>${tail}${page.map(([, text]) => text).join("")}</ListBucketResult>` };
}

interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Signed with the right secret over what was received, body included, within a quarter of an hour. */
function isSigned({ method, path, query, headers, body }: Received): boolean {
  const said =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers.authorization ?? "",
    );
  const [, id, region = "", names = ""] = said ?? [];
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const stamp = String(headers["x-amz-date"]);
  const now = new Date(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (id !== TEST_KEYS.id || headers["x-amz-content-sha256"] !== bodyHash) return false;
  if (!(Math.abs(now.getTime() - Date.now()) < 15 * 60_000)) return false;
  const own = ["host", "x-amz-content-sha256", "x-amz-date"];
  const chosen = names.split(";").filter((name) => !own.includes(name));
  const given = Object.fromEntries(chosen.map((name) => [name, String(headers[name])]));
  const host = headers.host ?? "";
  const expected = signedHeaders(
    { method, host, path, query, headers: given, bodyHash },
    { keys: TEST_KEYS, region, now },
  );
  // What changes the answer must be part of what was signed.
  const covered = ["if-none-match", "if-match"].every((name) => headers[name] === undefined || chosen.includes(name));
  return covered && expected["authorization"] === headers.authorization;
}

/** A prefix that nobody else uses. */
export function freshAddress({ url }: Pick<ObjectServer, "url">): string {
  return `s3://${TEST_BUCKET}/${randomBytes(6).toString("hex")}?endpoint=${url}`;
}
