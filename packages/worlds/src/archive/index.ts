/** Archive: a question and a library of captions, coarse to fine. */
import { option } from "limbeck-base/base/option";
import { defineWorld } from "limbeck-core/env/world";
import { ARCHIVE_SUMMARY, createArchive } from "./archive.ts";
import { breadthReader, expert, slowReader } from "./demonstrators.ts";
import { sizes, type LibrarySize } from "./library.ts";

export const archive = defineWorld({
  id: "archive",
  info: { title: "Archive", meaning: ARCHIVE_SUMMARY },
  options: {
    seed: option.number(1, "seed of the libraries", { whole: true }),
    size: option.choice("tiny", Object.keys(sizes) as LibrarySize[], "shelves, books of a shelf, pages of a book"),
  },
  parts: { read: "1 where a shelf, a book or a page was opened" },
  create: createArchive,
  demonstrators: { expert, reader: slowReader, breadth: breadthReader },
});
