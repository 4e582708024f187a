/** Which importer a file belongs to, by its beginning. */

import { statIfThere } from "../../base/files.ts";
import { readBytes } from "../../store/formats/bytes.ts";
import { importedFiles } from "./reading.ts";
import { importers } from "./registry.ts";
import type { Importer } from "./importer.ts";

const SNIFF_BYTES = 1 << 16;

/** Undefined where no importer knows it; then it may be in one of the interchange formats. */
export async function detectImporter(path: string): Promise<Importer | undefined> {
  const all: readonly Importer[] = Object.values(importers);
  const about = await statIfThere(path);
  if (about === undefined) return undefined;
  if (!about.isDirectory()) {
    const text = await beginning(path);
    return all.find(({ sign }) => sign.test(text));
  }
  for (const importer of all) {
    const first = await importedFiles(importer, path)
      .next()
      // What this importer cannot read is not of its kind.
      .catch(() => undefined);
    if (typeof first?.value === "string" && importer.sign.test(await beginning(first.value))) return importer;
  }
  return undefined;
}

async function beginning(file: string): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of readBytes(file)) {
    pieces.push(chunk);
    length += chunk.length;
    if (length >= SNIFF_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, SNIFF_BYTES).toString("utf8");
}
