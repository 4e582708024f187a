import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EngineError } from "./errors.ts";
import { createLogger, fileLog, type LogEntry } from "./log.ts";

const now = (): Date => new Date("2026-01-02T03:04:05.000Z");

test("writes level, event, time and fields; drops what is below the level; errors become data", () => {
  const lines: LogEntry[] = [];
  const log = createLogger((entry) => lines.push(entry), { now }).with({ run: "r1" });
  log.debug("segment-write");
  log.info("segment-write", { rows: 3 });
  log.error("commit-fail", { error: new EngineError("disk-full", "no space"), level: "forged", event: "forged" });
  expect(lines).toEqual([
    { time: "2026-01-02T03:04:05.000Z", level: "info", event: "segment-write", run: "r1", rows: 3 },
    {
      time: "2026-01-02T03:04:05.000Z",
      level: "error",
      event: "commit-fail",
      run: "r1",
      error: { code: "disk-full", message: "no space" },
    },
  ]);
});

test("a file gets one JSON object per line; a folder that is gone does not stop the work", () => {
  const folder = mkdtempSync(join(tmpdir(), "limbeck-log-"));
  const log = createLogger(fileLog(join(folder, "log.jsonl")), { now, level: "debug" });
  log.debug("a");
  log.warn("b", { text: "line\nbreak" });
  const lines = readFileSync(join(folder, "log.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as LogEntry).event)).toEqual(["a", "b"]);
  rmSync(folder, { recursive: true });
  expect(() => log.info("c")).not.toThrow();
});
