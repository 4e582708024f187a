import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request as ask, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { request as askSecurely } from "node:https";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryFolders } from "../../test/support/temporary-folder.ts";
import { createGuardedServer, placeRefusal, type GuardedOptions } from "./guarded-server.ts";
import { closeServer, listenAt } from "./listen.ts";
import { metric, prometheusText } from "./prometheus.ts";

const newFolder = temporaryFolders();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const hello: RequestListener = (_request, response) => response.end("hello");

async function serve(options: Partial<GuardedOptions> = {}, listener = hello): Promise<string> {
  const server = createGuardedServer({ name: "test", host: "127.0.0.1", routes: {}, ...options }, listener);
  closing.push(() => closeServer(server));
  return (await listenAt(server, { host: "127.0.0.1", port: 0 }, "The test")).url;
}

/** With headers that fetch does not let one set. */
function get(url: string, headers: Record<string, string> = {}, more: object = {}): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const way = url.startsWith("https:") ? askSecurely : ask;
    way(url, { headers, ...more }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve([response.statusCode ?? 0, text]));
    })
      .on("error", reject)
      .end();
  });
}

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

test("health, readiness and numbers; the numbers ask for the secret", async () => {
  let ready = false;
  const numbers = () => [metric("gauge", "limbeck_test_value", "Of the test.", 7)];
  const url = await serve({ secret: "open sesame", routes: { "GET /else": "open" }, ready: () => ready, numbers });
  expect(await get(`${url}/healthz`)).toEqual([200, "ok\n"]);
  expect((await get(`${url}/readyz`))[0]).toBe(503);
  ready = true;
  expect((await get(`${url}/readyz`))[0]).toBe(200);
  expect((await get(`${url}/metrics`))[0]).toBe(401);
  const [status, text] = await get(`${url}/metrics`, { authorization: "Bearer open sesame" });
  expect(status).toBe(200);
  expect(text).toContain("limbeck_test_value 7\n");
  expect(text).toContain('limbeck_http_requests_total{server="test",status="503"} 1\n');
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(await get(`${url}/else`)).toEqual([200, "hello"]);
  expect(await get(`${url}/else`, { host: "evil.example" })).toEqual([403, expect.stringContaining("bad-host")]);
});

test("labels and helps are escaped, numbers that are none are named", () => {
  const samples = [{ labels: { who: 'a "b"\\\n' }, value: Number.NaN }, { value: Number.POSITIVE_INFINITY }];
  expect(prometheusText([{ name: "x_total", help: "one\ntwo", kind: "counter", samples }])).toBe(
    '# HELP x_total one\\ntwo\n# TYPE x_total counter\nx_total{who="a \\"b\\"\\\\\\n"} NaN\nx_total +Inf\n',
  );
});

const opensslThere = spawnSync("openssl", ["version"]).status === 0;

test.skipIf(!opensslThere)("with a certificate it speaks HTTPS, and nothing else (needs openssl)", async () => {
  const folder = await newFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", [...words, ...name, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const tls = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  const url = await serve({ tls });
  expect(url).toMatch(/^https:/);
  expect(await get(`${url}/x`, {}, { ca: tls.cert })).toEqual([200, "hello"]);
  await expect(get(`${url.replace("https", "http")}/x`)).rejects.toThrow(/hang up|ECONNRESET|socket/);
  expect(() =>
    createGuardedServer({ name: "test", host: "127.0.0.1", routes: {}, tls: { ...tls, key: "no key" } }, hello),
  ).toThrow(/PEM files/);
});
