import { expect, test } from "vitest";
import { objectKeys, parseObjectAddress } from "./address.ts";

test("an address names bucket and prefix; endpoint and region stand in it or in the environment", () => {
  expect(parseObjectAddress("s3://my-runs/team/a/", {})).toMatchObject({
    bucket: "my-runs",
    prefix: "team/a/",
    region: "us-east-1",
    inHost: true,
    address: "s3://my-runs/team/a?region=us-east-1",
  });
  const own = parseObjectAddress("s3://my-runs?endpoint=http://127.0.0.1:9000&region=here", { AWS_REGION: "there" });
  expect(own).toMatchObject({ prefix: "", region: "here", inHost: false });
  expect(own.endpoint.origin).toBe("http://127.0.0.1:9000");
  const set = { AWS_ENDPOINT_URL_S3: "https://objects.example", AWS_REGION: "there" };
  expect(parseObjectAddress("s3://my-runs", set).address).toBe(
    "s3://my-runs?endpoint=https://objects.example&region=there",
  );
  expect(parseObjectAddress(own.address, {}).address).toBe(own.address);
});

test.each([
  ["s3://KEYID:hidden-secret@bucket/x", /AWS_ACCESS_KEY_ID/],
  ["s3://bucket/x?secret=hidden-secret", /parameter "secret"/],
  ["s3://bucket/x?endpoint=http://me:hidden-secret@host", /AWS_ACCESS_KEY_ID/],
  ["s3://b/x", /bucket "b"/],
  ["s3://bucket/a/%2e%2e/b%00", /prefix/],
  ["s3://bucket?endpoint=ftp://host", /https: or http:/],
  ["s3://bucket?endpoint=https://host/path", /host and port alone/],
  ["s3://bucket?region=a%20b", /region "a b"/],
])("%s is refused, and no secret is repeated", (address, said) => {
  let message = "";
  try {
    parseObjectAddress(address, {});
  } catch (error) {
    message = String(error);
  }
  expect(message).toMatch(said);
  expect(message).not.toContain("hidden-secret");
});

test("keys come from the environment alone; what is missing is named", () => {
  const place = { address: "s3://bucket" };
  expect(objectKeys({ AWS_ACCESS_KEY_ID: "i", AWS_SECRET_ACCESS_KEY: "s", AWS_SESSION_TOKEN: "t" }, place)).toEqual({
    id: "i",
    secret: "s",
    session: "t",
  });
  expect(() => objectKeys({ AWS_ACCESS_KEY_ID: "i" }, place)).toThrow(/set AWS_SECRET_ACCESS_KEY in/);
});
