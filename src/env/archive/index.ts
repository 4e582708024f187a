/** Archive: a question and a library of captions, coarse to fine. */
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import type { World } from "../world.ts";
import { ARCHIVE_SUMMARY, createArchive } from "./archive.ts";
import { expert, slowReader } from "./demonstrators.ts";
import { sizes, type LibrarySize } from "./library.ts";

const OptionsSchema = z.strictObject({
  seed: z.coerce.number().int().exactOptional(),
  size: z.enum(Object.keys(sizes) as [LibrarySize, ...LibrarySize[]]).exactOptional(),
});

export const archive: World = {
  summary: ARCHIVE_SUMMARY,
  options: {
    seed: "seed of the libraries; 1",
    size: `shelves, books of a shelf, pages of a book: ${Object.keys(sizes).join(", ")}; small`,
  },
  create: async (options = {}) => {
    const parsed = OptionsSchema.safeParse(options);
    if (!parsed.success) {
      throw new EngineError("bad-option", `The options of archive cannot be used: ${z.prettifyError(parsed.error)}`);
    }
    return Promise.resolve(createArchive(parsed.data));
  },
  demonstrators: { expert, reader: slowReader },
};

export { createArchive, type ArchiveOptions } from "./archive.ts";
