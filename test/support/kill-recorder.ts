/** A process that records into a store in a thread of its own, says so, and waits to be killed or told to close. */
import { openRecordings } from "../../packages/store/src/record/open-recordings.ts";

const [root = "", how = ""] = process.argv.slice(2);
const recordings = await openRecordings({ root, run: "recorded", idleMs: 3_600_000 });
recordings.add({
  limbeck: "call",
  v: 1,
  trajectory: "a",
  call: "a-1",
  startedAt: "2026-01-01T00:00:00.000Z",
  durationMs: 1,
  messages: [{ role: "user", content: "hello" }],
  reply: { role: "assistant", content: "hi" },
});
await recordings.save();
if (how === "close") await recordings.close();
process.stdout.write(`${JSON.stringify({ kind: recordings.constructor.name, ...recordings.status() })}\n`);
if (how === "wait") setInterval(() => undefined, 1000);
