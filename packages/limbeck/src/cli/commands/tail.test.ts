import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { openStore } from "limbeck-store/store/open-store";
import type { RunWriter, Store } from "limbeck-store/store/store";

const folder = temporaryFolders();
let root: string;
let store: Store;
let writer: RunWriter;

beforeEach(async () => {
  root = await folder();
  store = openStore(root);
  writer = await store.createRun({ id: "one", kind: "train", config: { recipe: "grpo", updates: 4 } });
  for (const number of [1, 2, 3]) await update(number);
});
afterEach(() => store.close());

async function update(number: number): Promise<void> {
  await writer.addMetrics(number, { success: number / 10, reward: number, entropy: 0.25, seconds: 65 });
  await writer.commit();
}
const end = async (number: number): Promise<void> => {
  await writer.addEvent("end", { reason: "updates", update: number, spent: {} });
  await writer.close();
};

test("a run that is over: its last updates, and how it ended", async () => {
  await end(3);
  const { code, out, err } = await limbeck(["tail", `${root}/one`, "--last", "2"]);
  expect(code).toBe(0);
  expect(out).toBe(
    "update 2/4  success 0.20  reward 2.00  entropy 0.25  1 min 05 s\n" +
      "update 3/4  success 0.30  reward 3.00  entropy 0.25  1 min 05 s\n",
  );
  expect(err).toBe("finished at update 3\n");
});

test("a run that goes on: what another writer commits is printed, until it ends", async () => {
  let written: Promise<void> | undefined;
  const goOn = async (): Promise<void> => {
    await writer.addEvent("notice", { update: 4, message: "half of the groups are dead" });
    await writer.addEvent("evaluation", {
      phase: "validation",
      update: 4,
      success: 0.5,
      low: 0.4,
      high: 0.6,
      tasks: 32,
    });
    await update(4);
    await end(4);
  };
  const { code, out, err } = await limbeck(["tail", "one", "--last", "1"], {
    env: { LIMBECK_STORE: root },
    // It is followed from the moment its last update was printed.
    onOut: () => {
      written ??= goOn();
    },
  });
  await written;
  expect(code).toBe(0);
  const lines = out.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^update 3\/4 {2}success 0\.30/);
  expect(lines.slice(1).toSorted()).toEqual([
    "half of the groups are dead",
    "update 4/4  success 0.40  reward 4.00  entropy 0.25  1 min 05 s",
    "validation at update 4  success 0.500 [0.400, 0.600] of 32 tasks",
  ]);
  expect(err).toBe("finished at update 4\n");
});

test("Ctrl-C ends the look, not the run", async () => {
  const stop = new AbortController();
  const { code } = await limbeck(["tail", "one"], {
    env: { LIMBECK_STORE: root },
    signal: stop.signal,
    onOut: () => stop.abort(),
  });
  expect(code).toBe(130);
  await update(4);
});
