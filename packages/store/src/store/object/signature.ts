/**
 * Signature version 4 of Amazon's services, for S3: a request names its key and proves it without sending the secret.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash, createHmac } from "node:crypto";

export interface ObjectKeys {
  readonly id: string;
  readonly secret: string;
  /** Of keys that were lent for a time. */
  readonly session?: string;
}

export interface Unsigned {
  readonly method: string;
  readonly host: string;
  /** As it is sent, encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body. */
  readonly bodyHash: string;
}

export interface Signing {
  readonly keys: ObjectKeys;
  readonly region: string;
  readonly now: Date;
}

/** Of no bytes at all. */
export const EMPTY_HASH = createHash("sha256").digest("hex");

/** Every header that is to be sent, those of the signature among them. */
export function signedHeaders(request: Unsigned, { keys, region, now }: Signing): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.host,
    "x-amz-content-sha256": request.bodyHash,
    "x-amz-date": time,
    ...(keys.session === undefined ? {} : { "x-amz-security-token": keys.session }),
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    request.method,
    request.path,
    queryText(request.query),
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/\s+/g, " ")}`),
    "",
    names.join(";"),
    request.bodyHash,
  ].join("\n");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = [time.slice(0, 8), region, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${keys.secret}`,
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const credential = `Credential=${keys.id}/${scope},SignedHeaders=${names.join(";")},Signature=${signature}`;
  return { ...headers, authorization: `AWS4-HMAC-SHA256 ${credential}` };
}

/** The names in order, both sides encoded: as the signature has it, and as it is sent. */
export function queryText(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
}

/** The path of a key: every letter that is not plain, except the slashes. */
export function encodedPath(path: string): string {
  return path.split("/").map(encoded).join("/");
}

/** `encodeURIComponent` leaves five letters as they are that the signature wants encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
