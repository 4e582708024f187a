import { expect, test } from "vitest";
import { EMPTY_HASH, encodedPath, signedHeaders } from "./signature.ts";

/**
 * The worked examples of Amazon's page on signatures in the Authorization header, with its example keys:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
const signing = {
  keys: { id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
  region: "us-east-1",
  now: new Date("2013-05-24T00:00:00.000Z"),
};
const host = "examplebucket.s3.amazonaws.com";
const signatureOf = (headers: Readonly<Record<string, string>>): string | undefined =>
  /Signature=(\w+)$/.exec(headers["authorization"] ?? "")?.[1];

test("GET of a part of an object", () => {
  const request = {
    method: "GET",
    host,
    path: "/test.txt",
    query: {},
    headers: { range: "bytes=0-9" },
    bodyHash: EMPTY_HASH,
  };
  const headers = signedHeaders(request, signing);
  expect(headers["x-amz-date"]).toBe("20130524T000000Z");
  expect(headers["authorization"]).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  );
});

test("PUT of an object whose key has a letter that is encoded", () => {
  const headers = signedHeaders(
    {
      method: "PUT",
      host,
      path: encodedPath("/test$file.text"),
      query: {},
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      bodyHash: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    },
    signing,
  );
  expect(signatureOf(headers)).toBe("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
});

test("GET of a list, with a query, and of one setting, with a name that has no value", () => {
  const base = { method: "GET", host, path: "/", headers: {}, bodyHash: EMPTY_HASH };
  expect(signatureOf(signedHeaders({ ...base, query: { "max-keys": "2", prefix: "J" } }, signing))).toBe(
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  );
  expect(signatureOf(signedHeaders({ ...base, query: { lifecycle: "" } }, signing))).toBe(
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  );
});

test("a lent key sends its session, signed", () => {
  const keys = { ...signing.keys, session: "lent" };
  const request = { method: "GET", host, path: "/", query: {}, headers: {}, bodyHash: EMPTY_HASH };
  const headers = signedHeaders(request, { ...signing, keys });
  expect(headers["x-amz-security-token"]).toBe("lent");
  expect(headers["authorization"]).toContain("x-amz-security-token");
  expect(JSON.stringify(headers)).not.toContain(signing.keys.secret);
});
