/**
 * A hundred kinds of secret, by the names and shapes of public scanners' rules, written without a look at the redactor's own list. None was ever
 * real: each is drawn from a seed, and prefixes are written in pieces, so that scanners of repositories do not take this file for a leak.
 */
import { createRng } from "../../packages/base/src/base/rng.ts";

export interface HeldOutSecret {
  readonly kind: string;
  /** What must not be found again. */
  readonly secret: string;
  /** How it stands in a text. */
  readonly text: string;
}

const rng = createRng("held-out secrets");
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
const digits = (length: number): string => of(DIGITS, length);

const bare = (kind: string, ...pieces: readonly string[]): HeldOutSecret => {
  const secret = pieces.join("");
  return { kind, secret, text: `the deploy step printed ${secret} and went on` };
};
const given = (kind: string, name: string, secret: string): HeldOutSecret => ({
  kind,
  secret,
  text: `export ${name}=${secret}`,
});
const within = (kind: string, secret: string, text: (secret: string) => string): HeldOutSecret => ({
  kind,
  secret,
  text: text(secret),
});

export const heldOutSecrets: readonly HeldOutSecret[] = [
  bare("1password service account", "op", "s_", "eyJ", b64(250)),
  bare("age secret key", "AGE-SECRET", "-KEY-1", of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
  bare("airtable token", "pa", "t", an(14), ".", hex(64)),
  bare("alibaba access key", "LT", "AI", low(20)),
  bare("anthropic admin key", "sk", "-ant-admin01-", url64(93), "AA"),
  bare("artifactory key", "AK", "Cp", an(69)),
  bare("asana token", "1/", digits(16), ":", hex(32)),
  bare("atlassian token", "AT", "ATT3", url64(186)),
  bare("authress key", "sc", "_", low(8), ".", low(4), ".acc-", low(12), ".", b64(40)),
  bare("aws session key id", "AS", "IA", of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
  bare("aws bedrock key", "AB", "SK", b64(120)),
  bare("azure client secret", an(3), "8Q~", url64(34)),
  bare("buildkite token", "bk", "ua_", hex(40)),
  bare("clickhouse secret", "4b", "1d", an(38)),
  bare("clojars token", "CLO", "JARS_", low(60)),
  bare("cloudinary url", "cloudinary", "://", digits(15), ":", an(27), "@cloud"),
  bare("contentful delivery", "CFP", "AT-", url64(43)),
  bare("databricks token", "da", "pi", hex(32)),
  bare("defined networking", "dn", "key-", low(26), "-", low(52)),
  bare("digitalocean personal", "do", "p_v1_", hex(64)),
  bare("digitalocean oauth", "do", "o_v1_", hex(64)),
  bare("docker hub", "dckr", "_pat_", url64(27)),
  bare("doppler token", "dp", ".pt.", an(43)),
  bare("duffel token", "duffel", "_live_", url64(43)),
  bare("dynatrace token", "dt", "0c01.", up(24), ".", up(64)),
  bare("easypost key", "EZ", "AK", an(54)),
  bare("facebook page token", "EA", "AG", an(110)),
  bare("flutterwave secret", "FLW", "SECK_TEST-", hex(32), "-X"),
  bare("fly.io token", "fo", "1_", url64(43)),
  bare("frameio token", "fi", "o-u-", url64(64)),
  bare("github refresh", "gh", "r_", an(36)),
  bare("github oauth", "gh", "o_", an(36)),
  bare("gitlab runner", "gl", "rt-", url64(20)),
  bare("gitlab deploy", "gl", "dt-", url64(20)),
  bare("google api key", "AI", "za", url64(35)),
  bare("google oauth secret", "GO", "CSPX-", url64(28)),
  bare("grafana service account", "gl", "sa_", an(32), "_", hex(8)),
  bare("grafana cloud", "gl", "c_", b64(64)),
  bare("harness key", "pa", "t.", an(22), ".", hex(24), ".", an(20)),
  bare("hashicorp terraform", an(14), ".atlas", "v1.", url64(64)),
  bare("heroku key v2", "HR", "KU-AA", url64(58)),
  bare("hubspot private app", "pat", "-na1-", uuid()),
  bare("huggingface organisation", "api", "_org_", of(LOWER, 34)),
  bare("infracost key", "ic", "o-", an(32)),
  bare("intra42 secret", "s-s", "4t2ud-", hex(64)),
  bare("linear key", "lin", "_api_", an(40)),
  bare("mailchimp key", hex(32), "-us", "12"),
  bare("mailgun key", "ke", "y-", hex(32)),
  bare("mapbox token", "pk", ".", an(60), ".", an(22)),
  bare(
    "microsoft teams webhook",
    "https://acme.webhook.office.com/webhookb2/",
    uuid(),
    "@",
    uuid(),
    "/IncomingWebhook/",
    hex(32),
    "/",
    uuid(),
  ),
  bare("netlify token", "nf", "p_", an(40)),
  bare("new relic user key", "NR", "AK-", up(27)),
  bare("new relic browser key", "NR", "JS-", hex(19)),
  bare("notion token", "nt", "n_", digits(11), an(35)),
  bare("npm token", "np", "m_", low(36)),
  bare("nuget key", "oy", "2", low(43)),
  bare("openai service account", "sk", "-svcacct-", url64(74), "T3Blbk", "FJ", url64(74)),
  bare("openshift token", "sha", "256~", url64(43)),
  bare("perplexity key", "pp", "lx-", an(48)),
  bare("plaid token", "access", "-sandbox-", uuid()),
  bare("planetscale password", "pscale", "_pw_", url64(43)),
  bare("planetscale token", "pscale", "_tkn_", url64(43)),
  bare("postman key", "PM", "AK-", hex(24), "-", hex(34)),
  bare("prefect key", "pn", "u_", low(36)),
  bare(
    "private key",
    "-----BEGIN RSA ",
    "PRIVATE KEY-----\n",
    b64(64),
    "\n",
    b64(64),
    "\n-----END RSA ",
    "PRIVATE KEY-----",
  ),
  bare("pulumi token", "pu", "l-", hex(40)),
  bare("pypi token", "py", "pi-AgEIcHlwaS5vcmc", url64(80)),
  bare("readme key", "rd", "me_", low(70)),
  bare("rubygems key", "ruby", "gems_", hex(48)),
  bare("scalingo token", "tk", "-us-", url64(48)),
  bare("sendgrid key", "SG", ".", url64(22), ".", url64(43)),
  bare("sendinblue key", "xkey", "sib-", hex(64), "-", an(16)),
  bare("sentry user token", "sntry", "u_", hex(64)),
  bare("sentry organisation token", "sntry", "s_eyJpYXQiO", b64(100)),
  bare("settlemint token", "sm", "_pat_", an(16)),
  bare("shippo token", "shippo", "_live_", hex(40)),
  bare("shopify access", "sh", "pat_", hex(32)),
  bare("shopify shared secret", "sh", "pss_", hex(32)),
  bare("slack app token", "xa", "pp-1-A", up(10), "-", digits(13), "-", hex(64)),
  bare("slack legacy token", "xo", "xs-", digits(11), "-", digits(11), "-", digits(11), "-", hex(10)),
  bare("slack webhook", "https://hooks.slack.com/services/T", up(10), "/B", up(10), "/", an(24)),
  bare("sonar token", "sq", "p_", hex(40)),
  bare("square access", "EA", "AAl", url64(59)),
  bare("squarespace sourcegraph", "sg", "p_", hex(40)),
  bare("stripe restricted", "rk", "_live_", an(99)),
  bare("telegram bot", digits(10), ":A", "A", url64(33)),
  bare("twilio key", "SK", hex(32)),
  bare("typeform token", "tf", "p_", url64(59)),
  bare("vault batch", "hv", "b.", url64(140)),
  bare("yandex key", "AQ", "VN", url64(38)),
  given("datadog key", "DD_API_KEY", hex(32)),
  given("algolia key", "ALGOLIA_ADMIN_KEY", hex(32)),
  given("cloudflare token", "CLOUDFLARE_API_TOKEN", url64(40)),
  given("okta token", "OKTA_API_TOKEN", `00${url64(40)}`),
  given("aws secret", "AWS_SECRET_ACCESS_KEY", b64(40)),
  within("basic authorisation", b64(44), (secret) => `Authorization: Basic ${secret}`),
  within("database address", an(18), (secret) => `postgres://app:${secret}@db.internal:5432/shop`),
  within("password in JSON", `${an(6)}!${an(7)}`, (secret) => `{"user":"ann","password":${JSON.stringify(secret)}}`),
  within("password of a command", an(14), (secret) => `mysql -u root --password=${secret} shop`),
  within(
    "json web token",
    `eyJ${b64(33)}.eyJ${url64(60)}.${url64(43)}`.replaceAll(/[+/]/g, "A"),
    (secret) => `token is ${secret}`,
  ),
];
