import type { IncomingHttpHeaders } from "node:http";
import { afterEach, expect, test } from "vitest";
import { placeRefusal } from "./guarded-server.ts";
import { prometheusText } from "./prometheus.ts";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test.each<[string, IncomingHttpHeaders, string | undefined]>([
  ["a program", { host: "127.0.0.1:1" }, undefined],
  ["a program by name", { host: "localhost:1" }, undefined],
  ["a name that points here", { host: "evil.example:1" }, "bad-host"],
  ["no name at all", {}, "bad-host"],
  ["its own page", { host: "127.0.0.1:1", origin: "http://127.0.0.1:1" }, undefined],
  ["another page of this machine", { host: "127.0.0.1:1", origin: "http://localhost:3000" }, "bad-origin"],
  ["a page from elsewhere", { host: "127.0.0.1:1", origin: "https://evil.example" }, "bad-origin"],
  ["a page without an address", { host: "127.0.0.1:1", origin: "null" }, "bad-origin"],
  [
    "an image of a page",
    { host: "127.0.0.1:1", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
    "bad-origin",
  ],
  ["a link", { host: "127.0.0.1:1", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, undefined],
  ["a large body", { host: "127.0.0.1:1", "content-length": "11" }, "body-too-large"],
])("%s", (_who, headers, code) => {
  expect(placeRefusal({ headers, method: "GET" }, { host: "127.0.0.1", mostBytes: 10 })?.code).toBe(code);
});

test("pages of this machine may ask where that is wanted, and a form may not post from elsewhere", () => {
  const headers = { host: "127.0.0.1:1", origin: "http://localhost:3000" };
  expect(placeRefusal({ headers }, { host: "127.0.0.1", pages: "machine" })).toBeUndefined();
  const form = { host: "127.0.0.1:1", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  expect(placeRefusal({ headers: form, method: "POST" }, { host: "127.0.0.1" })?.code).toBe("bad-origin");
  // Beyond this machine it has many names.
  expect(placeRefusal({ headers: { host: "trainer.lan:1" } }, { host: "0.0.0.0" })).toBeUndefined();
});

test("labels and helps are escaped, numbers that are none are named", () => {
  const samples = [{ labels: { who: 'a "b"\\\n' }, value: Number.NaN }, { value: Number.POSITIVE_INFINITY }];
  expect(prometheusText([{ name: "x_total", help: "one\ntwo", kind: "counter", samples }])).toBe(
    '# HELP x_total one\\ntwo\n# TYPE x_total counter\nx_total{who="a \\"b\\"\\\\\\n"} NaN\nx_total +Inf\n',
  );
});
