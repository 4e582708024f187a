/**
 * A hundred further kinds of secret: drawn by chance from the 884 detectors of a public scanner (TruffleHog, state of 2026-08-21), without those of the
 * first hundred. Name and shape of each are its detector's; the frame it stands in is one of twelve, in turn. Written and committed before
 * the redactor's rules were read or run on it. None was ever real: all are drawn from a seed.
 */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { HeldOutSecret } from "./held-out-secrets.ts";

const rng = createRng("drawn secrets");
const of = (letters: string, length: number): string =>
  Array.from({ length }, () => letters[rng.int(letters.length)] ?? "").join("");
const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const an = (length: number): string => of(DIGITS + LOWER + UPPER, length);
const low = (length: number): string => of(DIGITS + LOWER, length);
const up = (length: number): string => of(DIGITS + UPPER, length);
const hex = (length: number): string => of("0123456789abcdef", length);
const url64 = (length: number): string => of(`${DIGITS}${LOWER}${UPPER}_-`, length);
const b64 = (length: number): string => of(`${DIGITS}${LOWER}${UPPER}+/`, length);
const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join("-");

type Frame = (name: string, secret: string) => string;

/** As people, programs and logs write them; four of them have no word for "secret". */
const FRAMES: readonly Frame[] = [
  (name, secret) => `export ${name.toUpperCase()}_API_KEY=${secret}`,
  (name, secret) => `  ${name}_token: ${secret}`,
  (name, secret) => JSON.stringify({ [name]: { apiKey: secret, retries: 3 } }),
  (name, secret) => `For ${name} you can use my key ${secret} until Friday.`,
  (name, secret) => `GET https://api.${name}.com/v1/items?limit=5&apikey=${secret}&page=2 200`,
  (name, secret) => `curl -s -H "X-Api-Key: ${secret}" https://api.${name}.com/v2/me`,
  (name, secret) => `$ ${name} login --api-key ${secret} --region eu`,
  (name, secret) => `const ${name} = new ${name[0]?.toUpperCase()}${name.slice(1)}Client("${secret}");`,
  (name, secret) => `[${name}]\nsecret = ${secret}\ntimeout = 20`,
  (name, secret) => `${name.toUpperCase()}=${secret}`,
  (name, secret) => `${name} = Client(token='${secret}', verify=True)`,
  (name, secret) => `INFO ${name}: authenticated with ${secret} (200, 41 ms)`,
];

let turn = 0;
const named = (kind: string, secret: string): HeldOutSecret => {
  const frame = FRAMES[turn % FRAMES.length] as Frame;
  turn += 1;
  return { kind, secret, text: frame(kind, secret) };
};
const bare = (kind: string, ...pieces: readonly string[]): HeldOutSecret => {
  const secret = pieces.join("");
  return { kind, secret, text: `the deploy step printed ${secret} and went on` };
};
const within = (kind: string, secret: string, text: (secret: string) => string): HeldOutSecret => ({
  kind,
  secret,
  text: text(secret),
});

export const drawnSecrets: readonly HeldOutSecret[] = [
  named("currencycloud", low(64)),
  named("rownd", low(48)),
  named("twelvedata", low(32)),
  within("ftp", an(12), (secret) => `wget ftp://backup:${secret}@files.acme.example/nightly.tar`),
  named("faceplusplus", url64(32)),
  named("mandrill", an(22)),
  named("duo", an(40)),
  named("walkscore", low(32)),
  named("zonka", an(36)),
  named("elasticemail", an(96)),
  named("parseur", hex(40)),
  named("uploadcare", low(20)),
  named("webex", hex(64)),
  named("abyssale", an(40)),
  named("cloudelements", an(43)),
  named("qualaroo", an(64)),
  named("opencagedata", low(32)),
  named("unsplash", an(43)),
  named("pixabay", `${of(DIGITS, 8)}-${hex(25)}`),
  within("uri", an(16), (secret) => `git clone https://deploy:${secret}@git.acme.example/shop/web`),
  named("textmagic", an(30)),
  named("cannyio", uuid()),
  named("wrike", `ey${an(333)}`),
  named("getresponse", low(32)),
  named("mavenlink", low(64)),
  named("rebrandly", an(32)),
  named("clustdoc", an(60)),
  named("moonclerk", low(32)),
  within(
    "azuresastoken",
    `${b64(43).replaceAll("/", "%2F").replaceAll("+", "%2B")}%3D`,
    (secret) =>
      `https://acmefiles.blob.core.windows.net/reports/q3.csv?sp=r&st=2026-01-02T03:04:05Z&se=2026-02-02T03:04:05Z&sv=2022-11-02&sr=b&sig=${secret}`,
  ),
  named("paymoapp", an(44)),
  bare("langsmith", "ls", "v2_pt_", hex(32), "_", hex(10)),
  within("openvpn", url64(64), (secret) => `https://acme.api.openvpn.com client_id=shop.acme client_secret=${secret}`),
  bare("launchdarkly", "sd", "k-", `${low(8)}-${low(4)}-4${low(3)}-${low(4)}-${low(12)}`),
  named("segment", `${an(43)}.${an(43)}`),
  named("neutrinoapi", an(48)),
  named("aylien", low(32)),
  named("captaindata", hex(64)),
  named("sslmate", an(36)),
  named("opsgenie", uuid()),
  named("pdflayer", low(32)),
  named("powrbot", an(40)),
  named("ip2location", up(32)),
  named("stockdata", an(40)),
  named("chatfuel", an(128)),
  named("aiven", b64(372)),
  named("zipapi", an(32)),
  named("cliengo", uuid()),
  named("freshworks", an(22)),
  named("imagekit", `${an(35)}=`),
  named("humanity", low(40)),
  named("apifonica", [11, 4, 4, 4, 12].map(low).join("-")),
  bare("posthog", "ph", "x_", an(45)),
  bare("documo", "ey", an(34), ".ey", an(154), ".", url64(43)),
  named("mux", b64(75)),
  named("ambee", hex(64)),
  named("apitemplate", an(39)),
  named("fileio", up(39)),
  named("guardian", uuid()),
  named("zendesk", an(40)),
  within("pusher", low(20), (secret) => `PUSHER_APP_ID=1234567\nPUSHER_APP_SECRET=${secret}`),
  named("partnerstack", an(64)),
  named("languagelayer", low(32)),
  named("deepai", uuid()),
  named("nexmo", an(16)),
  named("box", an(32)),
  named("testingbot", low(32)),
  named("qubole", low(64)),
  named("companyhub", an(20)),
  within(
    "sqlserver",
    an(14),
    (secret) => `Server=tcp:db.acme.example,1433;Database=shop;User Id=app;Password=${secret};Encrypt=true;`,
  ),
  named("freshbooks", low(64)),
  bare("cloudflarecakey", "v1", ".0-", `${hex(24)}-`, an(146)),
  named("m3o", an(48)),
  named("delighted", an(32)),
  named("shodan", an(32)),
  named("adobe", low(32)),
  named("hive", low(32)),
  named("veriphone", up(32)),
  named("flightapi", low(24)),
  named("securitytrails", an(32)),
  named("jumpcloud", an(40)),
  named("voodoosms", an(46)),
  named("requestfinance", [7, 7, 7, 7].map(up).join("-")),
  within(
    "couchbase",
    `${an(9)}!${an(6)}`,
    (secret) => `couchbases://cb.x1y2z3.cloud.couchbase.com username=app password=${secret}`,
  ),
  named("intercom", `${b64(59)}=`),
  named("appfollow", `eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.${an(74)}.${url64(43)}`),
  named("coinlib", low(16)),
  bare("salesforceoauth2", "3M", "VG9", an(80)),
  named("caspio", low(50)),
  named("eightxeight", an(43)),
  named("geckoboard", an(44)),
  named("userflow", low(29)),
  named("shortcut", uuid()),
  named("loggly", uuid()),
  named("typetalk", an(64)),
  named("survicate", low(32)),
  named("appointedd", b64(88)),
  bare("pinecone", "pc", "sk_", an(6), "_", an(63)),
  bare("ramp", "ramp", "_sec_", an(48)),
  named("dandelion", low(32)),
  named("luno", url64(43)),
];
