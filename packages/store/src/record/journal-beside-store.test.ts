/** What was recorded is in the journal whatever the store is doing: a store that takes seconds over a commit holds up no line. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { openStore } from "../store/open-store.ts";
import { Recordings } from "./recordings.ts";

const newFolder = temporaryFolders();

type RecordedLine = Parameters<Recordings["add"]>[0];
const call = (trajectory: string, number = 1) =>
  ({
    limbeck: "call",
    v: 1,
    call: `${trajectory}-${number}`,
    trajectory,
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1,
    messages: [{ role: "user", content: "hello" }],
    reply: { role: "assistant", content: "yes" },
  }) as unknown as RecordedLine;

test("a line is in the journal while the store is held up, and a call that comes meanwhile is not lost", async () => {
  const root = await newFolder();
  const inner = openStore(root);
  let release = (): void => undefined;
  let held = false;
  const store = {
    ...inner,
    openRun: async (...given: Parameters<typeof inner.openRun>) => {
      const writer = await inner.openRun(...given);
      const commit = writer.commit.bind(writer);
      writer.commit = async (...options) => {
        held = true;
        await new Promise<void>((resolve) => (release = resolve));
        await commit(...options);
      };
      return writer;
    },
  };
  const recordings = await Recordings.open({ store, run: "recorded" });
  const journal = async (): Promise<string> => {
    const [name] = (await readdir(join(root, "recorded"))).filter((one) => one.startsWith("journal-"));
    return name === undefined ? "" : await readFile(join(root, "recorded", name), "utf8");
  };
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (let turns = 0; turns < 20_000; turns += 1) {
      if (await holds()) return;
      await nextTurn();
    }
    throw new Error("it never came");
  };
  recordings.add(call("a"));
  const storing = recordings.tick(true);
  await until(() => held);
  recordings.add(call("b"));
  recordings.add(call("a", 2));
  await until(async () => {
    const text = await journal();
    return text.includes('"b-1"') && text.includes('"a-2"');
  });
  release();
  await storing;
  // What is stored left the journal; what is not stays in it.
  await until(async () => (await journal()).includes('"b-1"'));
  held = false;
  const closing = recordings.close();
  await until(() => held);
  release();
  await closing;
  const { rows } = await openStore(root).query("select count(*) from steps");
  expect(rows).toEqual([[3]]);
  expect(recordings.status()).toMatchObject({ open: 0, dropped: 0 });
});
