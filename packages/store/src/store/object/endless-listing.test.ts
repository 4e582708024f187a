/** A bucket belongs to somebody else: its listing may come back to a page, say nothing again and again, or name things that are none. */
import { expect, test } from "vitest";
import { parseObjectAddress } from "./address.ts";
import { listObjects, type Requests } from "./requests.ts";

const place = parseObjectAddress("s3://bucket/runs", { AWS_ENDPOINT_URL: "http://127.0.0.1:9" });
const page = (inside: string, next: string): string =>
  `<ListBucketResult>${inside}<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken></ListBucketResult>`;
const key = (name: string): string => `<Contents><Key>runs/${name}</Key><Size>1</Size></Contents>`;

async function listed(answer: (count: number) => string): Promise<{ error: unknown; asked: number }> {
  let asked = 0;
  const send = () => {
    asked += 1;
    if (asked > 1_000) throw new Error("it was asked for ever");
    return Promise.resolve({ status: 200, headers: {}, body: Buffer.from(answer(asked)) });
  };
  const requests = { send } as unknown as Requests;
  const error: unknown = await listObjects(place, requests, "", { deep: true }).catch((thrown: unknown) => thrown);
  return { error, asked };
}

test("a listing that comes back to a page ends there", async () => {
  const { error, asked } = await listed((count) => page(key(`a${count}`), count % 2 === 0 ? "even" : "odd"));
  expect(error).toMatchObject({ code: "bad-store", message: expect.stringContaining("does not end") as string });
  expect(asked).toBe(3);
});

test("a listing of pages that hold nothing ends after a hundred", async () => {
  const { error, asked } = await listed((count) => page("", String(count)));
  expect(error).toMatchObject({ code: "bad-store", message: expect.stringContaining("0 names so far") as string });
  expect(asked).toBe(101);
});

test("signs that are none are refused by name, in keys and in what stands for the next page", async () => {
  for (const bad of ["&#x110000;", "%ff", "%"]) {
    const { error } = await listed((count) => (count > 2 ? "" : page(key(bad), `&#x110000;${count}`)));
    expect(error).toMatchObject(bad.startsWith("&") ? { files: [{}, {}] } : { code: "bad-store" });
  }
});
