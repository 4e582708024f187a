/** One run has one training at a time. */
import { cp, readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OLD_STORE, oldPlan } from "../../../../test/support/old-store.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { errorData } from "limbeck-base/base/errors";
import { openStore } from "limbeck-store/store/open-store";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

test.each([true, false])(
  "of two that resume one training at once one goes on, the other is refused by name; kept in a store: %s",
  async (keep) => {
    const root = join(await newFolder(), "runs");
    await cp(join(OLD_STORE, "runs"), root, { recursive: true });
    const both = await Promise.allSettled([1, 2].map(() => train(oldPlan(root, "unfinished", 4, { keep }))));
    const refused = both.flatMap((one) => (one.status === "rejected" ? [errorData(one.reason)] : []));
    expect(refused).toMatchObject([{ code: "run-busy", details: { run: "unfinished", pid: process.pid } }]);
    expect(refused[0]?.message).toContain('"unfinished"');
    expect(refused[0]?.message).toContain(hostname());
    expect((await readdir(join(root, "unfinished"))).filter((name) => name.includes("lock"))).toEqual([]);
    expect((await readdir(join(root, "unfinished", "model"))).filter((name) => name.startsWith("."))).toEqual([]);
    const store = openStore(root);
    const { rows } = await store.query("select count(*), count(distinct id) from trajectories", { run: "unfinished" });
    expect(rows).toEqual([keep ? [10, 10] : [5, 5]]);
    await store.close();
  },
);
