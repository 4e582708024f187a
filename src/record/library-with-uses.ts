/** A library after the uses by recorded agents were counted, where there is a store. */
import { statIfThere } from "../base/files.ts";
import { errorData } from "../base/index.ts";
import type { Context } from "../base/operation.ts";
import { givenLibrary } from "../skill/library/given-library.ts";
import type { Library } from "../skill/library/index.ts";

export async function libraryWithUses(
  given: { readonly library: string | undefined },
  context: Pick<Context, "cwd" | "environment" | "store" | "note">,
): Promise<Library> {
  const library = givenLibrary(given, context);
  if ((await statIfThere(context.store))?.isDirectory() !== true) return library;
  try {
    const { countRecordedUses } = await import("./skill-uses.ts");
    const { withStore } = await import("../store/with-store.ts");
    await withStore(context.store, (store) => countRecordedUses(store, library));
  } catch (error) {
    // The library can be read without a store, on a machine without DuckDB, or from a disk that takes no writing.
    context.note(`! Uses by recorded agents are not counted: ${errorData(error).message}`);
  }
  return library;
}
