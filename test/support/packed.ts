/** A tar archive in gzip, as npm packs a package, with whatever names and kinds a test wants in it. */
import { gzipSync } from "node:zlib";

export function packed(
  files: Readonly<Record<string, Buffer | string>>,
  kinds: Readonly<Record<string, string>> = {},
): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const data = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(name);
    header.write(data.length.toString(8).padStart(11, "0"), 124);
    header.write(kinds[name] ?? "0", 156);
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}
