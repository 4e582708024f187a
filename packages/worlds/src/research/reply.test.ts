import { describe, expect, test } from "vitest";
import { readReply } from "./episode.ts";

describe("readReply", () => {
  test.each([
    ["<search> who </search>", { kind: "search", text: "who" }],
    ["<think>hm</think><ANSWER>42\n</Answer> and more", { kind: "answer", text: "42" }],
    ["<search></search>", { kind: "search", text: "" }],
    ["<answer>a < b</answer>", { kind: "answer", text: "a < b" }],
  ])("accepts %j", (text, block) => expect(readReply(text)).toEqual({ block, fault: undefined }));

  test.each([
    ["", undefined, "no complete"],
    ["just words", undefined, "no complete"],
    ["<search>open", undefined, "no complete"],
    ["</search><search>x", undefined, "no complete"],
    ["<answer>x</search>", undefined, "no complete"],
    // Cut after the first closing tag: the search is what was asked for, but both kinds were there.
    ["<search>x</search><answer>y</answer>", { kind: "search", text: "x" }, "both"],
    ["<answer>y</answer><search>x</search>", { kind: "answer", text: "y" }, "both"],
    ["<search>x</search><search>y</search>", { kind: "search", text: "x" }, "more than one <search>"],
    ["<answer>x<answer>y</answer>", { kind: "answer", text: "x<answer>y" }, "more than one <answer>"],
  ])("finds fault with %j", (text, block, fault) => {
    const reply = readReply(text);
    expect(reply.block).toEqual(block);
    expect(reply.fault).toContain(fault);
  });

  test("a letter whose lower case is longer does not shift the block", () => {
    expect(readReply("İİİ<search>İstanbul</search>").block).toEqual({ kind: "search", text: "İstanbul" });
  });

  test("a long run of opening tags is read once", () => {
    expect(readReply("<search>".repeat(20_000)).block).toBeUndefined();
  });
});
