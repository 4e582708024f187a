/**
 * What a secret looks like: keys of common providers by their prefix, tokens by their form, values by their name, and
 * e-mail addresses. Every quantifier is bounded and none is nested, so the built-in engine stays linear here.
 */

import { withoutArguments } from "./secret-commands.ts";
import { withoutPlaced } from "./secret-places.ts";
import { CODE, HANDED_ON, STAND_IN, STANDS_FOR, isStandIn, looksSecret } from "./secret-values.ts";

// Shapes of further keys, by what they begin with or contain: whose they are, a text that stands in each, and the expression. An
// expression runs only where its text stands, so that a long table costs a search for a word each. Every quantifier is bounded and
// none is nested.

type SecretShape = readonly [whose: string, holds: string, expression: string];

const W = "[A-Za-z0-9_-]";
const H = "[a-f0-9]";

const SECRET_SHAPES: readonly SecretShape[] = [
  ["1Password service account", "ops_eyJ", "ops_eyJ[A-Za-z0-9+/=_-]{40,4000}"],
  ["1Password secret key", "A3-", "A3-[A-Z0-9]{6}-[A-Z0-9]{5,11}(?:-[A-Z0-9]{5,6}){3,4}"],
  ["Adobe", "p8e-", `p8e-${H}{32}`],
  ["age", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[A-Z0-9]{40,70}"],
  ["Airtable", "pat", `pat[A-Za-z0-9]{14}\\.${H}{64}`],
  ["Alibaba Cloud", "LTAI", "LTAI[A-Za-z0-9]{16,30}"],
  ["Amazon Bedrock", "ABSK", "ABSK[A-Za-z0-9+/]{60,300}={0,2}"],
  ["Artifactory key", "AKCp", "AKCp[A-Za-z0-9]{50,90}"],
  ["Artifactory reference", "cmVmd", "cmVmd[A-Za-z0-9]{50,70}"],
  ["Atlassian", "ATATT3", "ATATT3[A-Za-z0-9_=-]{40,400}"],
  ["Atlassian, old", "ATCTT3", "ATCTT3[A-Za-z0-9_=-]{40,400}"],
  ["Azure AD", "Q~", "[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,36}"],
  ["Azure storage", "AccountKey=", "AccountKey=[A-Za-z0-9+/]{20,200}={0,2}"],
  ["Azure shared access key", "SharedAccessKey=", "SharedAccessKey=[A-Za-z0-9+/]{20,200}={0,2}"],
  ["Azure signature", "sig=", "sig=[A-Za-z0-9%+/]{36,200}={0,2}"],
  ["Bitbucket", "ATBB", "ATBB[A-Za-z0-9_=]{24,60}"],
  ["Brevo", "xkeysib-", `xkeysib-${H}{40,80}-[A-Za-z0-9]{10,30}`],
  ["Brevo mail", "xsmtpsib-", `xsmtpsib-${H}{40,80}-[A-Za-z0-9]{10,30}`],
  ["Buildkite", "bkua_", `bkua_${H}{40}`],
  ["Clojars", "CLOJARS_", "CLOJARS_[a-z0-9]{50,70}"],
  ["Cloudflare origin", "v1.0-", `v1\\.0-${H}{24}-${H}{100,160}`],
  ["Contentful", "CFPAT-", `CFPAT-${W}{30,60}`],
  ["Discord bot", ".", "[MNO][A-Za-z0-9_-]{22,26}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,45}"],
  ["Discord webhook", "/api/webhooks/", `/api/webhooks/[0-9]{10,25}/${W}{40,100}`],
  ["Docker", "dckr_", `dckr_(?:pat|oat)_${W}{20,60}`],
  ["Dropbox", "sl.", `sl\\.${W}{60,400}`],
  ["Duffel", "duffel_", "duffel_(?:test|live)_[A-Za-z0-9_=-]{30,60}"],
  ["Dynatrace", "dt0", "dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}"],
  ["EasyPost", "EZ", "EZ[AT]K[A-Za-z0-9]{50,60}"],
  ["ElevenLabs", "sk_", `sk_${H}{40,60}`],
  ["Facebook", "EAA", "EAA[A-Za-z0-9]{60,400}"],
  ["Flutterwave", "FLWSECK", `FLWSECK(?:_TEST)?-[a-z0-9]{12,40}-X`],
  ["Fly.io", "fm", "fm[0-9][ar]?_[A-Za-z0-9+/=_-]{60,800}"],
  ["Fly.io, old", "fo1_", `fo1_${W}{40,60}`],
  ["Frame.io", "fio-u-", "fio-u-[A-Za-z0-9_=-]{50,80}"],
  ["GitHub app", "ghv_", "ghv_[A-Za-z0-9]{30,300}"],
  ["GitLab", "gl", `gl(?:ptt|dt|cbt|ft|imt|agent|soat|ffct)-${W}{16,300}`],
  ["GitLab runner", "GR1348941", `GR1348941${W}{16,40}`],
  ["Google OAuth", "GOCSPX-", `GOCSPX-${W}{20,60}`],
  ["Google refresh", "1//0", `1//0${W}{30,300}`],
  ["Harness", "at.", `[ps]at\\.${W}{20,24}\\.${H}{24}\\.[A-Za-z0-9]{20}`],
  ["HashiCorp Vault", "hv", `hv[sbr]\\.${W}{20,300}`],
  ["HashiCorp Terraform", ".atlasv1.", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{50,80}"],
  ["Heroku", "HRKU-", `HRKU-${W}{30,100}`],
  ["HubSpot", "pat-", `pat-(?:na|eu|ap)[0-9]-${H}{8}(?:-${H}{4}){3}-${H}{12}`],
  ["Infracost", "ico-", "ico-[A-Za-z0-9]{32}"],
  ["LangSmith, old", "ls__", `ls__${H}{32}`],
  ["LaunchDarkly", "-", `(?:api|sdk|mob)-${H}{8}(?:-${H}{4}){3}-${H}{12}`],
  ["Linear OAuth", "lin_oauth_", "lin_oauth_[A-Za-z0-9]{30,80}"],
  ["Lob", "_pub_", `(?:test|live)_pub_${H}{31,35}`],
  ["Mailchimp", "-us", `${H}{32}-us[0-9]{1,2}`],
  ["Mailgun", "key-", `key-${H}{32}`],
  ["Mapbox", "k.eyJ", `[ps]k\\.eyJ${W}{40,300}\\.${W}{16,40}`],
  ["MaxMind", "_mmk", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"],
  ["Microsoft Teams", ".webhook.office.com/", "\\.webhook\\.office\\.com/webhookb2/[A-Za-z0-9@/-]{40,300}"],
  ["Neon", "napi_", "napi_[a-z0-9]{40,80}"],
  ["New Relic", "NR", "NR(?:AK|JS|II|RA|IQ)-[A-Za-z0-9_-]{18,60}"],
  ["NuGet", "oy2", "oy2[a-z0-9]{43}"],
  ["Octopus Deploy", "API-", "API-[A-Z0-9]{24,36}"],
  ["OpenShift", "sha256~", `sha256~${W}{40,60}`],
  ["Plaid", "access-", `access-(?:sandbox|development|production)-${H}{8}(?:-${H}{4}){3}-${H}{12}`],
  ["PlanetScale", "pscale_", "pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{30,80}"],
  ["PostHog", "phx_", "phx_[A-Za-z0-9_]{30,80}"],
  ["Postman", "PMAK-", `PMAK-${H}{24}-${H}{34}`],
  ["Prefect", "pnu_", "pnu_[A-Za-z0-9]{30,60}"],
  ["Pulumi", "pul-", `pul-${H}{40}`],
  ["Readme", "rdme_", "rdme_[a-z0-9]{50,80}"],
  ["Resend", "re_", "re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}"],
  ["RubyGems", "rubygems_", `rubygems_${H}{40,60}`],
  ["Scalingo", "tk-us-", `tk-us-${W}{40,60}`],
  ["Sentry", "sntry", "sntry[su]_[A-Za-z0-9+/=_-]{40,400}"],
  ["Sentry address", ".ingest.", `${H}{32}@[a-z0-9.-]{1,40}\\.ingest\\.`],
  ["Shippo", "shippo_", `shippo_(?:live|test)_${H}{30,50}`],
  ["Slack webhook", "hooks.slack.com/", "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{24,100}"],
  ["Sourcegraph", "sgp_", "sgp_[A-Za-z0-9_]{30,100}"],
  ["Square", "sq0", `sq0[a-z]{3}-${W}{20,60}`],
  ["Supabase", "sb_secret_", `sb_secret_${W}{20,80}`],
  ["Tailscale", "tskey-", "tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,100}"],
  ["Telegram", ":AA", `[0-9]{8,10}:AA${W}{30,40}`],
  ["Twitch", "oauth:", "oauth:[a-z0-9]{30}"],
  ["Typeform", "tfp_", "tfp_[A-Za-z0-9_=.-]{40,80}"],
  ["Vercel", "vercel_", "vercel_[a-z]{2,10}_[A-Za-z0-9_]{20,100}"],
  ["Yandex", "AQVN", `AQVN${W}{30,45}`],
  ["Yandex token", "t1.", `t1\\.${W}{20,300}={0,2}\\.${W}{60,100}`],
  ["Zapier", "hooks.zapier.com/", "hooks\\.zapier\\.com/hooks/catch/[0-9]{4,12}/[A-Za-z0-9]{5,20}"],
  ["Asana", "1/", `1/[0-9]{14,18}:${H}{32}`],
  [
    "Authress",
    ".acc",
    "(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
  ],
  ["ClickHouse", "4b1d", "4b1d[A-Za-z0-9]{38}"],
  ["Defined Networking", "dnkey-", "dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"],
  ["DigitalOcean OAuth", "_v1_", `do[or]_v1_${H}{64}`],
  ["Hugging Face organisation", "api_org_", "api_org_[A-Za-z]{34}"],
  ["Intra42", "s-s4t2", `s-s4t2(?:ud|af)-${H}{64}`],
  ["Mapbox", "pk.", "[ps]k\\.[A-Za-z0-9]{60}\\.[A-Za-z0-9]{22}"],
  ["Netlify", "nfp_", "nfp_[A-Za-z0-9_]{36,60}"],
  ["SettleMint", "sm_", "sm_(?:pat|aat|sat)_[A-Za-z0-9]{16}"],
  ["Sonar", "sq", `sq[apu]_${H}{40}`],
  ["Amazon marketplace", "amzn.mws.", `amzn\\.mws\\.${H}{8}(?:-${H}{4}){3}-${H}{12}`],
  ["Docker swarm", "SWMTKN-", "SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}"],
  ["Firebase", ":APA91b", `[A-Za-z0-9_-]{11}:APA91b${W}{100,160}`],
  ["Grafana, old", "eyJrIjoi", "eyJrIjoi[A-Za-z0-9]{40,400}={0,2}"],
  ["PayPal", "access_token$", `access_token\\$(?:production|sandbox)\\$[a-z0-9]{8,24}\\$${H}{32}`],
  ["Square access", "EAAA", `EAAA[a-z]${W}{55,65}`],
];

const MARK = (kind: string): string => `[redacted ${kind}]`;

/**
 * Prefixed keys: OpenAI and those that copied it, Anthropic, OpenRouter, Langfuse, Google, AWS, GitHub, GitLab, Slack,
 * Stripe, Hugging Face, Groq, xAI, Perplexity, Replicate, NVIDIA, Fireworks, Cerebras, Tavily, LangSmith, npm, PyPI,
 * SendGrid, Twilio, Shopify, DigitalOcean, Databricks, Supabase, Linear, Notion, Figma, Doppler, Grafana, and tokens in
 * the form of a JWT.
 */
const KEYS = new RegExp(
  [
    "[sp]k-[A-Za-z0-9_-]{16,300}",
    "AIza[A-Za-z0-9_-]{30,80}",
    "ya29\\.[A-Za-z0-9_-]{20,400}",
    "(?:AKIA|ASIA|AROA|ABIA|ACCA)[A-Z0-9]{12,30}",
    "gh[opsur]_[A-Za-z0-9]{20,300}",
    "github_pat_[A-Za-z0-9_]{20,300}",
    "gl(?:pat|rt|oas)-[A-Za-z0-9_.-]{16,300}",
    "xox[abeprs]-[A-Za-z0-9-]{10,300}",
    "xapp-[A-Za-z0-9-]{10,300}",
    "[sprw]h?k_(?:live|test)_[A-Za-z0-9]{10,300}",
    "whsec_[A-Za-z0-9+/=]{16,300}",
    "hf_[A-Za-z0-9]{20,100}",
    "(?:gsk|r8|fw|lin_api|ntn|secret|dop_v1|sbp|glsa|lsv2_pt|lsv2_sk|shp(?:at|ca|pa|ss)|npm|figd)_[A-Za-z0-9_-]{20,300}",
    "(?:xai|pplx|nvapi|csk|tvly|pypi|glc|dapi|tvly-dev|pcsk|jina|exa|e2b|voyage)[-_][A-Za-z0-9_-]{16,300}",
    "dapi[a-f0-9]{28,40}",
    "dp\\.(?:pt|st|ct)\\.[A-Za-z0-9._-]{20,200}",
    "SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}",
    "(?:SK|AC)[a-f0-9]{32}",
    // Only where a word begins: a long run of "eyJ" would be searched again from each.
    "(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}\\.[A-Za-z0-9_-]{10,4000}(?:\\.[A-Za-z0-9_-]{0,4000})?",
  ].join("|"),
  "g",
);

const SHAPES = SECRET_SHAPES.map(([, holds, expression]) => ({ holds, expression: new RegExp(expression, "g") }));

/** What the rarer forms have in common; most texts have none of it. */
const HINTS =
  /key|secret|pass|pwd|pw\b|login|connect|user|cred|PDO|:\d+:|id\/|token|authori|credential|bearer|basic|cookie|session|:\/\//i;

/** Of those that stand at a place: users, logins, files of passwords, names in other languages. */
const FURTHER_HINTS =
  /user|log ?in|salt|connect|cred|psk|PDO|\bid\/|:\d+:|^[\w.-]{2,32}:[./A-Za-z0-9]{13}$|\$\w{1,12}\$|\d\s?\(|identified by|\{S?SHA|senha|contrase|mot_?de_?passe|[密パ비패암토п]|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d|\bpin\b|\bid\b|getenv|paas|wrd|ps?swd|p[as]{2,3}wd/im;

const BEARER = /\b(bearer|basic)(\s{1,4})([A-Za-z0-9._~+/=-]{12,4000})/gi;
/** user:password in a URL. */
const URL_PASSWORD = /(:\/\/[^\s/:@"']{0,100}):([^\s/@"']{1,300})@/g;
const NAMES =
  "api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|password|passwd|pwd|passphrase|" +
  "private[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|session[_-]?token|bearer[_-]?token|authorization|credentials?";
/** `"password": "…"`, also where the quotes are escaped: once in JSON inside JSON, and doubled at each level more. */
const QUOTED = new RegExp(
  `((?:${NAMES})\\\\{0,16}["']\\s{0,4}[:=]\\s{0,4}\\\\{0,16}["'])([^"'\\\\\\s][^"'\\\\]{0,2000})`,
  "gi",
);
/** `API_KEY=…` and `password: …`, where the value is long enough to be one. */
const ASSIGNED = new RegExp(`((?:${NAMES})\\s{0,4}[:=]\\s{0,4}["']?)([^\\s"',;&\\[][^\\s"',;&]{7,2000})`, "gi");
/** Names that also stand for harmless things, above all in records of models: what they hold must look like a secret. */
const WEAK_NAMES = "token|auth|jwt|cookie";
const WEAK = new RegExp(
  `((?<![A-Za-z])(?:[A-Za-z0-9]{1,40}[_-]){0,4}(?:${WEAK_NAMES})\\\\{0,16}["']?\\s{0,4}[:=]\\s{0,4}\\\\{0,16}["']?)([A-Za-z0-9._~+/=|%:-]{12,4000})`,
  "gi",
);
/** `apiToken`, `authToken`: the word begins in the middle of a name. */
const WEAK_CAMEL = /([a-z]Token\\{0,16}["']?\s{0,4}[:=]\s{0,4}\\{0,16}["']?)([A-Za-z0-9._~+/=|%:-]{12,4000})/g;
/** `SERVICE_ADMIN_KEY=…` of an environment: the capitals say that it is a setting. */
const SETTING =
  /(\b[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){0,4}_(?:KEY|PASS|PW|SALT|CRED)=["']?)([A-Za-z0-9._~+/=|%:-]{12,4000})/g;
/** `Authorization: Token …`, whatever the scheme is called. */
const AUTHORIZATION = /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?[A-Za-z0-9-]{2,20}\s{1,4})([^\s"'[]{6,4000})/gi;
/** Every value of a line of cookies. */
const COOKIES = /(\b(?:set-)?cookie["']?\s{0,4}[:=]\s{0,4}["']?[\w.-]{1,60}=)([^\n"'[]{6,4000})/gi;
/** `--password X` and `--token=X` of a command line. */
const FLAGS = new RegExp(`(--(?:[a-z0-9]{1,20}-){0,3}(?:${NAMES})[ =]{1,2}["']?)([^\\s"'$<[-][^\\s"']{3,2000})`, "gi");
const WEAK_FLAGS = /(--(?:[a-z0-9]{1,20}-){0,3}(?:token|pass|auth)[ =]{1,2}["']?)([A-Za-z0-9._~+/=|%:-]{12,2000})/gi;
/** A field whose name says that its value is a secret. */
const SECRET_FIELD = new RegExp(`^(?:[a-z0-9]{1,40}[_-]){0,4}(?:${NAMES})$`, "i");
const WEAK_FIELD = new RegExp(`^(?:x[_-])?(?:[a-z0-9]{1,40}[_-]){0,4}(?:${WEAK_NAMES}|set[_-]cookie)$`, "i");

export function isSecretField(name: string, value: string): boolean {
  if (name.length >= 200) return false;
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1_$2");
  return SECRET_FIELD.test(words) || (WEAK_FIELD.test(words) && looksSecret(value.trim()));
}

export const SECRET_VALUE = MARK("secret");

export function withoutKeys(text: string): string {
  let clean = text.replace(KEYS, (match: string, offset: number) =>
    // After its prefix a key has more than small letters: `jina_reader_url_prefix` is a name.
    (offset > 0 && /[A-Za-z0-9]/.test(text[offset - 1] ?? "")) || !/[A-Z0-9]/.test(match.slice(3))
      ? match
      : MARK("key"),
  );
  for (const { holds, expression } of SHAPES) {
    if (!clean.includes(holds)) continue;
    const before = clean;
    clean = before.replace(expression, (match: string, offset: number) =>
      offset > 0 && /[A-Za-z0-9]/.test(match[0] ?? "") && /[A-Za-z0-9]/.test(before[offset - 1] ?? "")
        ? match
        : MARK("key"),
    );
  }
  clean = withoutArguments(clean, SECRET_VALUE);
  if (!HINTS.test(clean)) return FURTHER_HINTS.test(clean) ? withoutPlaced(clean, SECRET_VALUE) : clean;
  if (clean.includes("PRIVATE KEY")) clean = withoutPrivateKeys(clean);
  if (clean.includes("://")) clean = clean.replace(URL_PASSWORD, urlPassword);
  return withoutPlaced(clean, SECRET_VALUE)
    .replace(BEARER, (match: string, scheme: string, gap: string, value: string) =>
      /\d/.test(value) || value.length > 30 ? `${scheme}${gap}${MARK("token")}` : match,
    )
    .replace(QUOTED, unlessStandIn)
    .replace(AUTHORIZATION, ifSecret)
    .replace(ASSIGNED, unlessCode)
    .replace(FLAGS, unlessCode)
    .replace(WEAK_FLAGS, ifSecret)
    .replace(COOKIES, `$1${SECRET_VALUE}`)
    .replace(WEAK, ifSecret)
    .replace(SETTING, ifSecret)
    .replace(WEAK_CAMEL, ifSecret);
}

function unlessStandIn(match: string, name: string, value: string): string {
  return STAND_IN.test(value) ? match : `${name}${SECRET_VALUE}`;
}

function urlPassword(match: string, before: string, value: string): string {
  const standsFor = STANDS_FOR.test(value) || STAND_IN.test(value) || /^pass(?:word|wd)?$/i.test(value);
  return standsFor ? match : `${before}:${MARK("password")}@`;
}

function unlessCode(match: string, name: string, value: string): string {
  const isCode = CODE.test(value) || isStandIn(value) || HANDED_ON.test(value);
  // `password = taken_from_file`: a name without a figure, as programs hand it on; and "the --password option" of a page.
  const isName = /\s=\s$/.test(name) && /^[A-Za-z_]+[.)]?$/.test(value);
  const isProse =
    name.startsWith("--") && /^(?:options?|flags?|arguments?|parameters?|values?|and|or|is|for)\b/.test(value);
  return isCode || isName || isProse ? match : `${name}${SECRET_VALUE}`;
}

function ifSecret(match: string, name: string, value: string): string {
  return looksSecret(value) ? `${name}${SECRET_VALUE}` : match;
}

/** `BEGIN RSA PRIVATE KEY`, `END PGP PRIVATE KEY BLOCK`; the dashes may be cut off. */
const KEY_LINE = /-{0,5}(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{0,5}/g;
/** Blocks from BEGIN to END, or to the end of the text where the END is missing: half a key is a key. */
function withoutPrivateKeys(text: string): string {
  let clean = "";
  let [from, begin]: [number, number | undefined] = [0, undefined];
  for (const { index, 0: line, 1: kind } of text.matchAll(KEY_LINE)) {
    if (kind === "BEGIN") {
      begin ??= index;
      continue;
    }
    clean += text.slice(from, begin ?? keyBefore(text, from, index)) + MARK("private key");
    [from, begin] = [index + line.length, undefined];
  }
  if (begin === undefined) return clean + text.slice(from);
  return clean + text.slice(from, begin) + MARK("private key");
}

/** Where the lines of a key begin whose BEGIN is cut off: back over what has no spaces and is long, but for the last line. */
function keyBefore(text: string, from: number, end: number): number {
  let start = end;
  for (let words = 0; start > from; words += 1) {
    let stop = start;
    while (stop > from && GAP.test(text[stop - 1] ?? "")) stop -= 1;
    let begin = stop;
    while (begin > from && KEY_LETTER.test(text[begin - 1] ?? "")) begin -= 1;
    if (begin === stop || (words > 0 && stop - begin < 16)) break;
    start = begin;
  }
  return start;
}
const GAP = /\s|\\/;
const KEY_LETTER = /[A-Za-z0-9+/=]/;

const LOCAL_PART = /[A-Za-z0-9._%+'-]/;
/** Letters of every script count: addresses are international. */
const LOCAL_LETTER = /[\p{L}\p{N}]/u;
const DOMAIN = /(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}-]{2,63}/uy;

/** From each "@" (or "%40", as it stands in URLs) outwards, so that a long text without one costs a single search. */
export function withoutEmails(text: string): string {
  let clean = "";
  let from = 0;
  for (const sign of text.matchAll(/@|%40/g)) {
    let start = sign.index;
    while (start > from && sign.index - start < 64 && isLocal(text[start - 1] ?? "")) start -= 1;
    if (start === sign.index || sign.index < from) continue;
    const after = sign.index + sign[0].length;
    DOMAIN.lastIndex = after;
    const domain = DOMAIN.exec(text)?.[0];
    if (domain === undefined) continue;
    clean += text.slice(from, start) + MARK("email");
    from = after + domain.length;
  }
  return from === 0 ? text : clean + text.slice(from);
}

function isLocal(letter: string): boolean {
  return LOCAL_PART.test(letter) || (letter > "\u007f" && LOCAL_LETTER.test(letter));
}

// Secrets that are on no list: words that only chance can have written. How sure that must be depends on what stands before them. After
// a word like "key" or in the call that opens a client a hash will do; alone, a word must mix its letters as no name, path or number
// does. What is an id, a hash or a signature by its name stays: records are tied together by those. Each word is looked at once.

const WORD = /[A-Za-z0-9+/_~=-]{16,}/g;
/** Longer ones are files, not keys. */
const LONGEST = 600;
const BEFORE = 60;

/** What a secret is called, with at most three short words between: "my key is …", "authenticated with …". */
const TELLING =
  /(?:keys?|tokens?|secret|passw(?:or)?d|passphrase|passcode|pwd|credentials?|auth(?:enticated?|enticating|ori[sz]ed|ori[sz]ation|oriz)?|bearer|log(?:ged)?[ -]?in|sign(?:ed)? ?in|licen[cs]e|mnemonic|dsn|otp|pin)["'`)\]]?(?:\s{0,2}(?:[:=(,|]|=>|->|-(?=\s))|\s{1,2}(?:is|was|are|as|with|by|using|to|for|the|set|equals|of|here)\b){0,3}[\s"'`([<{]{0,4}$/i;
/** `new ShopClient("…")`, `connect('…')`, `Session(key='…')`. */
const OPENING =
  /(?:client|connect|session|api|login|auth\w{0,12}|service|provider|sdk|init|configure|setup)\s?\(\s{0,2}(?:\w{1,30}\s?[:=]\s?)?["'`]$/i;
/** `SHOP=…` of an environment. */
const NAMED_SETTING = /(?:^|\s|export )([A-Z][A-Z0-9_]{1,60})=["']?$/;
/** Names of what is random and no secret. */
const HARMLESS_NAME =
  /(?:^|[^a-z]|[a-z](?=[A-Z]))(?:[a-z_-]*(?:ids?|uuid|guid|hash(?:es)?|sha-?\d{0,3}|md5|digest|checksum|crc|etag|commit|head|ref|rev(?:ision)?|version|build|tag|branch|cursor|fingerprint|signature|integrity|nonce|trace|span|parent|node|image|layer|object|tree|blob|data|content|encrypted_content|reasoning|seed|state|src|href|url|uri|path|file|filename|slug|resolved|thumbprint|serial|etag|boundary|ssid|bssid|mac|sum|key_?id))["'`]?\s{0,2}[:=]\s{0,2}["'`]?$/i;
/** How ids of calls, answers and hashes begin. */
const ID_PREFIX =
  /^(?:call|toolu|srvtoolu|chatcmpl|cmpl|resp|msg|run|thread|step|asst|file|fc|rs|req|item|evt|event|batch|conv|gen|chat|ft|ftjob|job|org|proj|user|sess|session|trace|span|sha1|sha224|sha256|sha384|sha512|md5|h1|vs|ig|ws|mcp|ctc|rsp|task|episode|traj|sandbox|container|pod|uuid|cache|blob|commit|image|img|layer|obj|object|tree|hash|sha|tmp|node|digest|build|rev|etag|doc|page|chunk|block|tx|txid|addr)[-_:=]/i;
/** In an address, before the question mark: pages are called by hashes. Those of hooks are known shapes. */
const IN_ADDRESS = /:\/\/[^\s"'<>?]*$/;
const HEX = /^(?:0x)?(?:[0-9a-f]+(?:-[0-9a-f]+)*|[0-9A-F]+)$/;
/** `shop_9f1d…`: whose it is, and a hash. */
const OWNED = /^[a-z]{2,12}_(?:[a-z]{2,8}_)?[0-9a-f]{32,128}$/;
const UUID = /^[0-9a-z]{7,11}(?:-[0-9a-z]{4,7}){3}-?[0-9a-z]{4,12}$/i;

/** The names of fields whose value stays whatever it looks like. */
export function isHarmlessName(name: string): boolean {
  return HARMLESS_NAME.test(`${name.slice(-BEFORE)}=`);
}

export function withoutUnknown(text: string, mark: string): string {
  return text.replace(WORD, (word: string, offset: number) => {
    if (word.length > LONGEST || !/[A-Za-z]/.test(word)) return word;
    const [assigned, start] = valueIn(word);
    const near = text.slice(Math.max(0, offset - BEFORE), offset);
    const before = near.slice(near.lastIndexOf("\n") + 1) + word.slice(0, start);
    const after = text[offset + word.length];
    const isLine = before.trim() === "" && (after === undefined || after === "\n" || after === "\r" || after === "\\");
    // A line of a certificate or of an attached file, by its width.
    if (isLine && (word.length === 64 || word.length === 76) && /[A-Z]/.test(word)) return word;
    return isSecret(assigned, before) ? word.slice(0, start) + mark : word;
  });
}

/** Of `name=value`, where "=" is no padding, the value. */
function valueIn(word: string): readonly [value: string, start: number] {
  const sign = word.replace(/=+$/, "").lastIndexOf("=");
  return [word.slice(sign + 1), sign + 1];
}

function isSecret(given: string, before: string): boolean {
  const word = given.replace(/^[/+=~_-]+/, "").replace(/[/=~_-]+$/, "");
  if (ID_PREFIX.test(word) || HARMLESS_NAME.test(before)) return false;
  const told = TELLING.test(before) || OPENING.test(before);
  if (HEX.test(word) || UUID.test(word)) return (told || NAMED_SETTING.test(before)) && isMixed(word);
  const named = told || NAMED_SETTING.test(before);
  const mixing = mixingOf(word, named);
  if (mixing === undefined || mixing.run < 12) return false;
  if (named) return mixing.length >= 16;
  return OWNED.test(word) || (mixing.length >= 28 && !IN_ADDRESS.test(before) && !isPath(word));
}

/** One of its folders is called by a word, or a hash follows a name. */
function isPath(word: string): boolean {
  if (word.includes("/") && word.split("/").some((part) => /^[a-z_-]{4,}$/.test(part))) return true;
  const parts = word.split(/[-/_~=+]/).filter((part) => part.length >= 5);
  return (
    parts.some((part) => /^[A-Za-z][a-z]{4,}$/.test(part)) && parts.every((part) => HEX.test(part) || isWord(part))
  );
}

function isWord(part: string): boolean {
  return /^[A-Za-z]+[0-9]{0,3}$/.test(part);
}

/** At least 8 different letters and digits, and some of each: a counter or a date is none. */
function isMixed(word: string): boolean {
  return (
    new Set(word).size >= 8 && (word.match(/[0-9]/g)?.length ?? 0) >= 3 && (word.match(/[a-z]/gi)?.length ?? 0) >= 3
  );
}

interface Mixing {
  /** Letters and digits. */
  readonly length: number;
  /** The longest piece without anything else between. */
  readonly run: number;
}

/**
 * Chance changes between small letters, capitals and digits at 0.62 of all places where it has all three, at 0.40 where it has digits and
 * one kind of letters. Names made of words do so where words meet. Undefined: too rarely for chance.
 */
function mixingOf(word: string, named: boolean): Mixing | undefined {
  let [length, changes, places, run, longest, same, wordy] = [0, 0, 0, 0, 0, 0, 0];
  const counts = { digit: 0, lower: 0, upper: 0 };
  let last: keyof typeof counts | undefined;
  for (const letter of word) {
    const kind =
      letter >= "0" && letter <= "9"
        ? "digit"
        : letter >= "a" && letter <= "z"
          ? "lower"
          : letter >= "A" && letter <= "Z"
            ? "upper"
            : undefined;
    if (kind === undefined) run = 0;
    else {
      counts[kind] += 1;
      length += 1;
      run += 1;
      longest = Math.max(longest, run);
      if (last !== undefined) places += 1;
      if (last !== undefined && last !== kind) changes += 1;
      same = last === kind ? same + 1 : 1;
      // The fourth small letter in a row makes a syllable of all four.
      if (kind === "lower" && same >= 4) wordy += same === 4 ? 4 : 1;
    }
    last = kind;
  }
  const three = counts.lower >= 3 && counts.upper >= 3;
  const [digits, changing, wordyShare] = [counts.digit / length, changes / places, wordy / length];
  if (three && wordyShare > 0.4) return undefined;
  // A name says that it is one: few digits will do, or none where capitals stand in the middle of everything.
  const loose =
    named && (counts.digit > 0 ? changing >= 0.15 && longest >= 16 : three && changing >= 0.45 && wordyShare <= 0.15);
  const least = three ? 0.42 : 0.24;
  const strict = counts.digit >= 2 && digits >= (three ? 0.04 : 0.1) && digits <= 0.6 && changing >= least;
  const mixes = strict || loose;
  // Letters that come again and again are a pattern, whatever they are.
  return mixes && new Set(word).size >= Math.min(12, length / 2) ? { length, run: longest } : undefined;
}
