import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFolders } from "../../../scripts/layout.ts";
import { createRedactor } from "./redact.ts";

test("the repository's own pages and sources, 10,000 lines and more, raise no more than one alarm in 10,000", () => {
  const root = join(import.meta.dirname, "../../..");
  const files = ["docs", ...sourceFolders].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(md|ts)$/.test(path) && !/test\.ts$|secret/.test(path))
      .map((path) => join(root, folder, path)),
  );
  const lines = files.flatMap((path) => readFileSync(path, "utf8").split("\n"));
  const redactor = createRedactor({ emails: false });
  const alarms = lines.filter((line) => redactor.text(line) !== line);
  expect(lines.length).toBeGreaterThan(10_000);
  // Where there are more, those are shown.
  expect(alarms.slice(0, alarms.length > lines.length / 10_000 ? 20 : 0)).toEqual([]);
});
