import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { bundledStart, typedModel } from "../starts.ts";
import {
  bundledAddress,
  bundledFolder,
  bundledModel,
  bundledModelFor,
  bundledNames,
  startingModel,
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

test("what is typed as a model: an address, a path, or nothing", () => {
  expect(typedModel("bundled:shop", "/here")).toBe("bundled:shop");
  expect(typedModel("mine", "/here")).toBe(resolve("/here", "mine"));
  expect(typedModel(undefined, "/here")).toBeUndefined();
  expect(startingModel("shop", undefined)).toBe(bundledModel("shop"));
  expect(startingModel("shop", "bundled:talk")).toBe(bundledModel("talk"));
  expect(startingModel("shop", "mine")).toBe("mine");
});
