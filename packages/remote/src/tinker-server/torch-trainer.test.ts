import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TRAINER_FOLDER } from "./torch-trainer.ts";

test("a clone has the trainer in Python at its root", () => {
  expect(TRAINER_FOLDER).toBe(join(import.meta.dirname, "../../../../python/trainer"));
  expect(existsSync(join(TRAINER_FOLDER, "limbeck_torch", "__main__.py"))).toBe(true);
});
