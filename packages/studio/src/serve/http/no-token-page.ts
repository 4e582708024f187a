/** The page without a token. It needs no file of the studio: those need the token too. */
import { createHash } from "node:crypto";
import { SECURITY_HEADERS } from "./headers.ts";

const STYLE =
  ":root{color-scheme:light dark}body{font:1rem/1.55 system-ui,sans-serif;max-width:38rem;margin:12vh auto 0;padding:0 1.2rem}h1{font-size:1.4rem}code{background:rgb(128 128 128/.18);border-radius:.3em;padding:.1em .4em}li{margin:.35em 0}";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Limbeck studio: the address needs its token</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>This address needs its token</h1>
<p>The studio shows your runs only to who has the random token it printed when it started, so that no other page and no
other user of this machine can read them. This browser has none, or one of an earlier start.</p>
<ol>
<li>Look at the terminal where <code>limbeck studio</code> runs.</li>
<li>Open the whole address that it printed: it ends with <code>?token=</code> and some letters.</li>
<li>If it does not run any more, start it again: <code>limbeck studio</code> opens the right address itself.</li>
</ol>
<p>A program sends the header <code>Authorization: Bearer TOKEN</code>. With <code>--token TEXT</code> the token stays the same
after a restart.</p>
</main>
</body>
</html>
`;

export function noTokenPage(status: number): Response {
  const hash = createHash("sha256").update(STYLE).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const headers = { ...SECURITY_HEADERS, "content-security-policy": policy };
  return new Response(PAGE, {
    status,
    headers: { ...headers, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  });
}
