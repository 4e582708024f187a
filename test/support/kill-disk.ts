/**
 * A writer on a disk that gives out. Prints what happened as JSON; `faults.test.ts` knows what to expect.
 *
 * Arguments: store folder, on a file system of its own; "full" to fill it up, "read-only" for one that cannot be written.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, errorData } from "../../packages/base/src/base/errors.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { madeFrom, RUN } from "./kill-data.ts";

const [root = "", mode = "full"] = process.argv.slice(2);
const store = openStore(root);
const ids = async (): Promise<string[]> => {
  const found: string[] = [];
  for await (const { id } of store.trajectories()) found.push(id);
  return found;
};
const failure = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    await work();
    return "nothing went wrong";
  } catch (error) {
    return errorData(error);
  }
};

if (mode === "full") {
  const writer = await store.createRun({ id: RUN });
  await writer.append(madeFrom("before"));
  await writer.commit();
  const ballast = join(root, "ballast");
  fill(ballast);
  await writer.append(madeFrom("during"));
  const errors = [await failure(() => writer.commit()), await failure(() => writer.commit())];
  const whileFull = await ids();
  rmSync(ballast);
  await writer.append(madeFrom("after"));
  await writer.commit();
  process.stdout.write(JSON.stringify({ errors, whileFull, inTheEnd: await ids() }));
} else {
  const writer = await store.openRun(RUN, { beside: true });
  await writer.append(madeFrom("late"));
  const errors = [
    await failure(() => writer.commit()),
    await failure(() => store.openRun(RUN)),
    await failure(() => store.createRun()),
    await failure(() => store.deleteRun(RUN)),
    await failure(() => store.compact()),
  ];
  process.stdout.write(JSON.stringify({ errors, stored: await ids() }));
}

/** Halves what it writes until not a byte more fits. */
function fill(path: string): void {
  for (let bytes = 1 << 20; bytes >= 1; bytes >>= 1) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: "a" });
    } catch (error) {
      if (errorCode(error) !== "ENOSPC") throw error;
    }
  }
}
