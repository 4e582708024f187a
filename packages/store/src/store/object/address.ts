/** Where a store on object storage lies, and with which keys: the address names the place, the environment the keys. */
import { EngineError } from "limbeck-base/base/errors";
import type { ObjectKeys } from "./signature.ts";

export interface ObjectPlace {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** Of the server: scheme, host and port. */
  readonly endpoint: URL;
  readonly region: string;
  /** The bucket stands before the host, as Amazon has it; otherwise at the beginning of the path. */
  readonly inHost: boolean;
  /** The whole address, to open the same place again. It holds no keys. */
  readonly address: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const FORM = 's3://BUCKET/PREFIX, with "?endpoint=URL" and "region=NAME" where it is not Amazon\'s';
const KEYS_WAY = "Keys belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment.";
const PARAMETERS = ["endpoint", "region"];

/** Reads an address; what it leaves open comes from the environment. Nothing of a wrong one is repeated that may be a key. */
export function parseObjectAddress(text: string, environment: Environment): ObjectPlace {
  const wrong = (what: string): EngineError =>
    new EngineError("bad-address", `The address of the store ${what}. An address is ${FORM}.`);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong("cannot be read");
  }
  if (url.username !== "" || url.password !== "" || text.split("?")[0]?.includes("@") === true) {
    throw wrong(`has something before an "@". ${KEYS_WAY} Without them the address`);
  }
  for (const name of url.searchParams.keys()) {
    if (PARAMETERS.includes(name)) continue;
    throw wrong(
      `has the parameter ${JSON.stringify(name.slice(0, 40))}; it may have ${PARAMETERS.join(" and ")}. ${KEYS_WAY} Without it the address`,
    );
  }
  const bucket = url.host;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw wrong(
      `names the bucket ${JSON.stringify(bucket.slice(0, 80))}; a bucket has 3 to 63 small letters, digits, "." and "-"`,
    );
  }
  const folder = decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, "");
  if (!/^[\w.\-/ ]*$/.test(folder) || folder.split("/").some((part) => part === "." || part === "..")) {
    throw wrong(`has the prefix ${JSON.stringify(folder.slice(0, 80))}; use letters, digits, ".", "_", "-" and "/"`);
  }
  const region =
    url.searchParams.get("region") ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? "us-east-1";
  if (!/^[\w-]{1,40}$/.test(region))
    throw wrong(`names the region ${JSON.stringify(region.slice(0, 80))}; use letters, digits and "-"`);
  const given =
    url.searchParams.get("endpoint") ?? environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"];
  const inHost = given === undefined && !bucket.includes(".");
  const endpoint = given === undefined ? new URL(`https://s3.${region}.amazonaws.com`) : endpointOf(given, wrong);
  const parameters = given === undefined ? `region=${region}` : `endpoint=${endpoint.origin}&region=${region}`;
  return {
    bucket,
    prefix: folder === "" ? "" : `${folder}/`,
    endpoint,
    region,
    inHost,
    address: `s3://${bucket}${folder === "" ? "" : `/${folder}`}?${parameters}`,
  };
}

function endpointOf(given: string, wrong: (what: string) => EngineError): URL {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw wrong(`has an endpoint that is no URL: ${JSON.stringify(given.slice(0, 80))}`);
  }
  if (url.username !== "" || url.password !== "")
    throw wrong(`has an endpoint with a name and a password. ${KEYS_WAY} Without them the address`);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw wrong(`has an endpoint of the kind "${url.protocol}"; it must be https: or http:`);
  }
  if (url.pathname !== "/" || url.search !== "")
    throw wrong(`has an endpoint with a path; give scheme, host and port alone`);
  return url;
}

/** The keys of the environment, or what to set. */
export function objectKeys(environment: Environment, { address }: Pick<ObjectPlace, "address">): ObjectKeys {
  const id = environment["AWS_ACCESS_KEY_ID"] ?? "";
  const secret = environment["AWS_SECRET_ACCESS_KEY"] ?? "";
  const session = environment["AWS_SESSION_TOKEN"];
  if (id === "" || secret === "") {
    const missing = [...(id === "" ? ["AWS_ACCESS_KEY_ID"] : []), ...(secret === "" ? ["AWS_SECRET_ACCESS_KEY"] : [])];
    throw new EngineError("needs-key", `${address} needs keys: set ${missing.join(" and ")} in the environment.`, {
      details: { missing },
    });
  }
  return { id, secret, ...(session === undefined || session === "" ? {} : { session }) };
}
