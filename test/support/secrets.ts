/**
 * Planted secrets for tests of redaction. None was ever real: each is put together from its public form and a filler, in
 * pieces, so that scanners of repositories do not take this file for a leak.
 */

export interface PlantedSecret {
  /** What must never be found again. */
  readonly secret: string;
  /** How it stands in a text. */
  readonly text: string;
}

const filler = (length: number, letters = "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7"): string =>
  Array.from({ length }, (_, index) => letters[(index * 7) % letters.length]).join("");
const hex = (length: number): string => filler(length, "0a1b2c3d4e5f6789");
const key = (prefix: readonly string[], rest: string): PlantedSecret => {
  const secret = prefix.join("") + rest;
  return { secret, text: `use ${secret} now` };
};

export const secretCorpus: readonly PlantedSecret[] = [
  key(["sk", "-"], filler(48)),
  key(["sk", "-proj-"], `${filler(40)}_${filler(20)}`),
  key(["sk", "-ant-api03-"], `${filler(80)}-AA`),
  key(["sk", "-or-v1-"], hex(64)),
  key(["sk", "-lf-"], "01234567-89ab-cdef-0123-456789abcdef"),
  key(["AI", "za"], filler(35)),
  key(["ya", "29."], filler(60)),
  key(["AK", "IA"], "IOSFODNN7EXAMPLE"),
  key(["AS", "IA"], "IOSFODNN7EXAMPLE"),
  key(["gh", "p_"], filler(36)),
  key(["gh", "s_"], filler(36)),
  key(["github", "_pat_"], filler(60)),
  key(["gl", "pat-"], filler(20)),
  key(["xo", "xb-"], `123456789012-${filler(24)}`),
  key(["sk", "_live_"], filler(24)),
  key(["rk", "_test_"], filler(24)),
  key(["wh", "sec_"], filler(32)),
  key(["h", "f_"], filler(34)),
  key(["gs", "k_"], filler(52)),
  key(["xa", "i-"], filler(60)),
  key(["pp", "lx-"], filler(48)),
  key(["r", "8_"], filler(37)),
  key(["nv", "api-"], filler(60)),
  key(["f", "w_"], filler(24)),
  key(["cs", "k-"], filler(48)),
  key(["tv", "ly-"], filler(32)),
  key(["lsv2", "_pt_"], `${hex(32)}_${hex(10)}`),
  key(["np", "m_"], filler(36)),
  key(["py", "pi-"], filler(80)),
  key(["S", "G."], `${filler(22)}.${filler(43)}`),
  key(["S", "K"], hex(32)),
  key(["sh", "pat_"], hex(32)),
  key(["dop", "_v1_"], hex(64)),
  key(["da", "pi"], hex(32)),
  key(["sb", "p_"], hex(40)),
  key(["ey", "J"], `${filler(30)}.${filler(60)}.${filler(43)}`),
  { secret: filler(40), text: `AWS_SECRET_ACCESS_KEY=${filler(40)}` },
  { secret: hex(32), text: `{"api_key": "${hex(32)}"}` },
  { secret: "correct-horse-battery", text: `password: correct-horse-battery` },
  { secret: "hunter2", text: `{"password":"hunter2","user":"bob"}` },
  { secret: "hunter3", text: `{\\"password\\":\\"hunter3\\"}` },
  { secret: "s3cr3tpass", text: "postgres://admin:s3cr3tpass@db.internal:5432/app" },
  { secret: filler(32), text: `Authorization: Bearer ${filler(32)}` },
  { secret: filler(28), text: `Basic ${filler(28)}` },
  { secret: "MIIEvQIBADANBg", text: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----" },
  {
    secret: "b3BlbnNzaC1rZXk",
    text: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----",
  },
  { secret: "jane.doe+news@mail.example.co.uk", text: "write to jane.doe+news@mail.example.co.uk please" },
  { secret: "jürgen@müller.example", text: "An jürgen@müller.example schreiben" },
  { secret: "o'neil@example.org", text: "<o'neil@example.org>" },
  { secret: "bob%40example.com", text: "https://example.com/?to=bob%40example.com" },
  { secret: "CUST-123456", text: "the customer CUST-123456 called" },
  { secret: "patient Smith", text: "for patient Smith today" },
  { secret: "literal-in-use", text: "the key literal-in-use was refused" },
];
