/** Uses of skills by recorded agents: what their calls carried becomes a line of the skill's log, with how it ended. */
import { statIfThere } from "limbeck-base/base/files";
import { errorData } from "limbeck-base/base/errors";
import type { Context } from "limbeck-base/base/operation";
import { givenLibrary, type Place } from "limbeck-core/skill/library/given-library";
import type { Library } from "limbeck-core/skill/library/library";
import type { Use } from "limbeck-core/skill/library/library-skill";
import type { Store } from "../store/store.ts";

/**
 * Counts every recorded trajectory of the store that carried a skill of the library as one use of it. Doing it again
 * adds nothing; an outcome that came or changed in between takes the place of the earlier one. Gives how many lines are
 * new.
 *
 * @example
 * import { openStore } from "limbeck/store";
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openLibrary } from "limbeck/skill";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-uses-"));
 * const store = openStore(join(folder, "runs"));
 * console.log(await countRecordedUses(store, openLibrary(join(folder, "skills")))); // 0
 * await store.close();
 * rmSync(folder, { recursive: true });
 */
export async function countRecordedUses(store: Pick<Store, "query">, library: Library): Promise<number> {
  const names = new Set((await library.list()).skills.map(({ name }) => name));
  if (names.size === 0) return 0;
  // A trajectory that went on after it was stored continues as a branch: one use, not two.
  const { rows } = await store.query(
    `select run, id, success, reward, started_at, info -> '$.recorder.skills' as skills
     from trajectories where parent is null and json_array_length(info -> '$.recorder.skills') > 0`,
    { skipBroken: true, trusted: true },
  );
  const uses = new Map<string, Use[]>();
  for (const [run, trajectory, success, reward, startedAt, carried] of rows) {
    const use: Use = {
      at: typeof startedAt === "string" ? startedAt : new Date().toISOString(),
      offered: true,
      success: typeof success === "boolean" ? success : null,
      ...(typeof reward === "number" && typeof success === "boolean" ? { reward } : {}),
      run: String(run),
      trajectory: String(trajectory),
      by: "recorded",
    };
    for (const name of textsOf(carried)) if (names.has(name)) uses.set(name, [...(uses.get(name) ?? []), use]);
  }
  let fresh = 0;
  for (const [name, own] of uses) fresh += await library.report(name, own);
  return fresh;
}

function textsOf(cell: unknown): string[] {
  const texts: unknown = JSON.parse(String(cell));
  return Array.isArray(texts) ? [...new Set(texts.filter((one) => typeof one === "string"))] : [];
}

/** A library after the uses by recorded agents were counted, where there is a store. */
export async function libraryWithUses(
  given: { readonly library: string | undefined },
  context: Place & Pick<Context, "store" | "note">,
): Promise<Library> {
  const library = givenLibrary(given, context);
  if ((await statIfThere(context.store))?.isDirectory() !== true) return library;
  try {
    const { withStore } = await import("../store/with-store.ts");
    await withStore(context.store, (store) => countRecordedUses(store, library));
  } catch (error) {
    // The library can be read without a store, on a machine without DuckDB, or from a disk that takes no writing.
    context.note(`! Uses by recorded agents are not counted: ${errorData(error).message}`);
  }
  return library;
}
