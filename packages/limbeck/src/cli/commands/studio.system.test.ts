import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck, serving } from "../../../../../test/support/fake-io.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-studio-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("prints an address that opens the pages, answers there, and ends on Ctrl-C", async () => {
  const { line, stop } = await serving(["studio", "--port", "0", "--store", join(folder, "runs"), "--write"], {
    cwd: folder,
  });
  const { url, write, event } = line;
  expect([event, write]).toEqual(["listening", true]);
  const entered = await fetch(String(url), { redirect: "manual" });
  expect(entered.status).toBe(303);
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const page = await fetch(new URL("/", String(url)), { headers: { cookie } });
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const meta = await fetch(new URL("/api/meta", String(url)), { headers: { cookie } });
  expect(await meta.json()).toMatchObject({ writable: true, library: null, store: "runs" });
  expect((await stop()).code).toBe(130);
  await expect(fetch(String(url))).rejects.toThrow("fetch failed");
});

test("beyond this machine it wants a token, and a bad one or a taken port is wrong usage", async () => {
  for (const [words, said] of [
    [["--host", "0.0.0.0"], "--token"],
    [["--token", "short"], "16"],
    [["--port", "x"], "port"],
  ] as const) {
    const { code, err } = await limbeck(["studio", "--port", "0", ...words], { cwd: folder });
    expect([words, code]).toEqual([words, 2]);
    expect(err).toContain(said);
  }
});
