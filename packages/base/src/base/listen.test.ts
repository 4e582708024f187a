import { expect, test } from "vitest";
import { isLoopback } from "./listen.ts";

test.each(["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1", "[::1]"])("%s is this machine", (host) =>
  expect(isLoopback(host)).toBe(true),
);
test.each(["0.0.0.0", "::", "127.0.0.1.example.org", "localhost.example.org", "[::1", "10.0.0.1", ""])(
  '"%s" may be reached from elsewhere',
  (host) => expect(isLoopback(host)).toBe(false),
);
