/** Names below a prefix, page by page. */
import { EngineError } from "../../base/errors.ts";
import type { ObjectPlace } from "./address.ts";
import { refused, type Requests } from "./requests.ts";

export interface Listed {
  readonly path: string;
  readonly bytes: number;
  /** What the server calls its content, mostly a checksum; undefined where it does not say. */
  readonly version: string | undefined;
}

/** Files and folders below a folder; with `deep` all files of all folders and no folders. Paths are of the store. */
export async function listObjects(
  place: ObjectPlace,
  requests: Requests,
  folder: string,
  { deep }: { readonly deep: boolean },
): Promise<{ readonly files: Listed[]; readonly folders: string[] }> {
  const found = { files: [] as Listed[], folders: [] as string[] };
  for (let after: string | undefined; ;) {
    const request = {
      method: "GET",
      query: {
        "list-type": "2",
        "encoding-type": "url",
        prefix: `${place.prefix}${folder === "" ? "" : `${folder}/`}`,
        ...(deep ? {} : { delimiter: "/" }),
        ...(after === undefined ? {} : { "continuation-token": after }),
      },
    } as const;
    const answer = await requests.send(request);
    if (answer.status !== 200) throw refused(place, request, answer);
    const text = answer.body.toString();
    for (const [, part = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
      const path = inStore(place, folder, tag(part, "Key") ?? "");
      // Some programs make an empty object for a folder.
      if (path === "" || path.endsWith("/")) continue;
      found.files.push({
        path,
        bytes: Number(tag(part, "Size")),
        version: tag(part, "ETag"),
      });
    }
    for (const [, part = ""] of text.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)) {
      found.folders.push(inStore(place, folder, tag(part, "Prefix") ?? "").replace(/\/$/, ""));
    }
    after = tag(text, "IsTruncated") === "true" ? plain(tag(text, "NextContinuationToken") ?? "") : undefined;
    if (after === undefined || after === "") return found;
  }
}

/** The path of a key; a server that lists what nobody asked for would have it written over something else. */
function inStore({ prefix, bucket, endpoint }: ObjectPlace, folder: string, encoded: string): string {
  const asked = `${prefix}${folder === "" ? "" : `${folder}/`}`;
  let key: string | undefined;
  try {
    key = decodeURIComponent(plain(encoded).replaceAll("+", " "));
  } catch {
    // Not the encoding that was asked for: refused below.
  }
  if (key?.startsWith(asked) === true) return key.slice(prefix.length);
  throw new EngineError(
    "bad-store",
    `${endpoint.origin} lists the key ${JSON.stringify((key ?? encoded).slice(0, 200))} below "${asked}" of bucket ${bucket}, where it does not belong or cannot be read. Nothing was written. Look at what answers at that address.`,
  );
}

function tag(text: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{2,4});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    return String.fromCodePoint(name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
  });
}
