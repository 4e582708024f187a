/** Numbers of a process in the text form that Prometheus reads. */

export interface Metric {
  /** "limbeck_trainer_models": letters, digits and "_". */
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge";
  readonly samples: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/** One number without labels. */
export function metric(kind: Metric["kind"], name: string, help: string, value: number): Metric {
  return { name, help, kind, samples: [{ value }] };
}

export function prometheusText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, kind, samples }) => [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${kind}`,
    ...samples.map(({ labels = {}, value }) => `${name}${labelsText(labels)} ${numberText(value)}`),
  ]);
  return `${lines.join("\n")}\n`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => {
    const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
    return `${key}="${escaped}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** Metrics of every process, under the usual names. */
export function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage();
  const started = (Date.now() - process.uptime() * 1_000) / 1_000;
  return [
    metric("counter", "process_cpu_seconds_total", "Time on processors.", (user + system) / 1e6),
    metric("gauge", "process_resident_memory_bytes", "Memory held.", process.memoryUsage.rss()),
    metric("gauge", "process_start_time_seconds", "When it started, in seconds of Unix time.", started),
  ];
}
