/** Bodies in a smaller form, for clients that take one. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Below this the headers weigh more than what is saved. */
const LEAST_BYTES = 1_400;
/** On this machine speed counts more than the last percent. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 4;

export interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding | undefined;
}

export type Encoding = "br" | "gzip";

/** The best form that a client takes, by its header. */
export function encodingOf(accepts: string | undefined): Encoding | undefined {
  const taken = (accepts ?? "").split(",").flatMap((one) => {
    const [name = "", ...details] = one.split(";").map((word) => word.trim().toLowerCase());
    return details.some((detail) => /^q=0(\.0*)?$/.test(detail)) ? [] : [name];
  });
  return (["br", "gzip"] as const).find((name) => taken.includes(name));
}

export async function compressBody(bytes: Buffer, encoding: Encoding | undefined): Promise<Body> {
  if (encoding === undefined || bytes.length < LEAST_BYTES) return { bytes: plain(bytes), encoding: undefined };
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const small = encoding === "br" ? await brotli(bytes, { params }) : await toGzip(bytes, { level: GZIP_LEVEL });
  return { bytes: plain(small), encoding };
}

/** The same bytes with the type that a response wants. */
function plain(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
