import { expect, test } from "vitest";
import { escapeHtml, markup } from "./html.ts";

test("whatever a run says stays text", () => {
  const said = `<img src=x onerror="alert('1')">&\u0007`;
  expect(markup`<p title="${said}">${said}</p>`.html).toBe(
    `<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;\uFFFD">&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;\uFFFD</p>`,
  );
  expect(escapeHtml("a\nb")).toBe("a\nb");
});

test("markup nests, lists join, nothing is nothing", () => {
  const items = [1, 2].map((value) => markup`<li>${value}</li>`);
  expect(markup`<ul>${items}</ul>${undefined}${false}`.html).toBe("<ul><li>1</li><li>2</li></ul>");
});
