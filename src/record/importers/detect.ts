/** Which importer a file belongs to, by its beginning. */

import { statIfThere } from "../../base/files.ts";
import { beginningOf } from "../../store/formats/detect.ts";
import { importedFiles } from "./reading.ts";
import { importers } from "./registry.ts";
import type { Importer } from "./importer.ts";

/** Undefined where no importer knows it; then it may be in one of the interchange formats. */
export async function detectImporter(path: string): Promise<Importer | undefined> {
  const all: readonly Importer[] = Object.values(importers);
  const about = await statIfThere(path);
  if (about === undefined) return undefined;
  if (!about.isDirectory()) {
    const text = await beginningOf(path);
    return all.find(({ sign }) => sign.test(text));
  }
  for (const importer of all) {
    const first = await importedFiles(importer, path)
      .next()
      // What this importer cannot read is not of its kind.
      .catch(() => undefined);
    if (typeof first?.value === "string" && importer.sign.test(await beginningOf(first.value))) return importer;
  }
  return undefined;
}
