/** What the command line says of a store: `test/golden`. */
import { test } from "vitest";
import { answers } from "./support/golden.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";

const newFolder = temporaryFolders();

test("answers of the store, as people and as programs read them", { timeout: 600_000 }, async () =>
  answers("store", await newFolder()),
);
