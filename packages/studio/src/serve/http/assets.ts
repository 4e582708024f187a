/** The pages' own files, from one folder. Nothing else of the machine can be asked for. */
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { compressBody, encodingOf, type Body } from "./compress.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

export interface Asset {
  readonly type: string;
  readonly body: Body;
  /** Files with a hash in their name never change. */
  readonly cache: string;
}

export interface Assets {
  /** The file at a path of the address; undefined when there is none. */
  read(path: string, accepts: string | undefined): Promise<Asset | undefined>;
}

/** The listing is the permission: a path that is not in it is not looked for. */
export async function openAssets(folder: string): Promise<Assets> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        return [`/${relative(folder, file).split(sep).join("/")}`, file];
      }),
  );
  const kept = new Map<string, Promise<Body>>();
  return {
    read: async (path, accepts) => {
      const name = path === "/" ? "/index.html" : path;
      const file = files.get(name);
      const type = TYPES[extname(name)];
      if (file === undefined || type === undefined) return undefined;
      const encoding = encodingOf(accepts);
      const key = `${encoding ?? ""} ${file}`;
      const body = kept.get(key) ?? readFile(file).then((bytes) => compressBody(bytes, encoding));
      kept.set(key, body);
      const cache = name.startsWith("/assets/") ? "private, max-age=31536000, immutable" : "no-cache";
      return { type, body: await body, cache };
    },
  };
}
