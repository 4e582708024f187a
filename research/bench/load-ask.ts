/** Asks the studio at a steady rate until it is told to stop, and prints what came of it. */
import { Agent, request } from "node:http";
import { giveWay } from "../../packages/base/src/base/give-way.ts";
import { median, percentile } from "./load-figures.ts";

// It stands for other machines, whose processors are not those that train.
giveWay(19);

const [address = "", token = "", rateText = "500"] = process.argv.slice(2);
const rate = Number(rateText);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const headers = { authorization: `Bearer ${token}` };
const times: number[] = [];
let [asked, refused, open] = [0, 0, 0];
/** What pages ask for while somebody looks at a run that is trained: most of it again and again. */
const PATHS = [
  "/api/meta",
  "/api/runs",
  "/api/runs/shown",
  "/api/trajectories?run=shown",
  "/api/trajectories?run=shown&outcome=success",
  "/api/facets?run=shown",
];

function ask(path: string): void {
  const begun = performance.now();
  open += 1;
  const done = (fine: boolean): void => {
    open -= 1;
    if (!fine) refused += 1;
    times.push(performance.now() - begun);
  };
  request(`${address}${path}`, { agent, headers }, (response) => {
    response.resume();
    response.on("end", () => done(response.statusCode === 200));
  })
    .on("error", () => done(false))
    .end();
}

const started = performance.now();
const timer = setInterval(() => {
  const due = Math.floor(((performance.now() - started) / 1000) * rate);
  // Who waits for 2,000 answers has lost count; the rate that is printed then says so.
  while (asked < due && open < 2_000) {
    ask(PATHS[asked % PATHS.length] ?? "");
    asked += 1;
  }
}, 2);
process.on("SIGTERM", () => {
  clearInterval(timer);
  const answered = times.length / ((performance.now() - started) / 1000);
  const figures = { rate: answered, median: median(times), p99: percentile(times, 0.99), refused };
  process.stdout.write(JSON.stringify(figures), () => process.exit(0));
});
