/** Bodies in a smaller form, for clients that take one. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotli = promisify(brotliCompress);
const gunzipable = promisify(gzip);

/** Below this the headers weigh more than what is saved. */
const LEAST_BYTES = 1_400;
/** On this machine speed counts more than the last percent. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 4;

export interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: "br" | "gzip" | undefined;
}

export async function compressed(bytes: Buffer, accepts: string | undefined): Promise<Body> {
  const takes = (name: string): boolean =>
    new RegExp(`(^|[,\\s])${name}(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepts ?? "");
  if (bytes.length < LEAST_BYTES) return { bytes: plain(bytes), encoding: undefined };
  if (takes("br")) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    return { bytes: plain(await brotli(bytes, { params })), encoding: "br" };
  }
  if (takes("gzip")) return { bytes: plain(await gunzipable(bytes, { level: GZIP_LEVEL })), encoding: "gzip" };
  return { bytes: plain(bytes), encoding: undefined };
}

/** The same bytes with the type that a response wants. */
function plain(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
