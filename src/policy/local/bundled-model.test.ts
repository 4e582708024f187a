import { stat } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  bundledAddress,
  bundledFolder,
  bundledModel,
  bundledModelFor,
  bundledNames,
  bundledStart,
} from "./bundled-model.ts";

test("every bundled model is a folder of this package", async () => {
  for (const name of bundledNames) expect((await stat(bundledModel(name))).isDirectory()).toBe(true);
});

test("a world has its own model, or household's", () => {
  expect(bundledModelFor("shop")).toBe("shop");
  expect(bundledModelFor("alfworld")).toBe("household");
  expect(bundledStart("household")).toEqual({ worldOptions: { dial: "tiny" } });
  expect(bundledStart("toString")).toBeUndefined();
});

test("an address means the same folder wherever it is read, and nothing else is one", () => {
  expect(bundledAddress("research")).toBe("bundled:research");
  expect(bundledFolder("bundled:research")).toBe(bundledModel("research"));
  for (const other of ["bundled:../household", "bundled:", "research", "/bundled:shop"]) {
    expect(bundledFolder(other)).toBeUndefined();
  }
});
