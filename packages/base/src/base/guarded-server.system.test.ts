import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request as ask, type RequestListener } from "node:http";
import { request as askSecurely } from "node:https";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { createGuardedServer, type GuardedOptions } from "./guarded-server.ts";
import { closeServer, listenAt } from "./listen.ts";
import { metric } from "./prometheus.ts";

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
