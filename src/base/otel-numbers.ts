/** The numbers of a server as OpenTelemetry metrics too, where the program that runs it has the API and a provider. */
import type { Metric } from "./prometheus.ts";

/** Without the package nothing is observed, and nothing is missing either. Gives what ends it. */
export async function observeNumbers(server: string, numbers: () => readonly Metric[]): Promise<() => void> {
  const api = await import("@opentelemetry/api").catch(() => undefined);
  if (api === undefined) return () => undefined;
  const meter = api.metrics.getMeter(`limbeck.${server}`);
  const ends = numbers().map(({ name, help, kind }) => {
    // Exporters to Prometheus put the ending of counters back.
    const [own, options] = [name.replace(/_total$/, ""), { description: help }];
    const instrument =
      kind === "counter" ? meter.createObservableCounter(own, options) : meter.createObservableGauge(own, options);
    const observe = (result: { observe(value: number, attributes: Record<string, string>): void }): void => {
      const samples = numbers().find((metric) => metric.name === name)?.samples ?? [];
      for (const { labels = {}, value } of samples) result.observe(value, { server, ...labels });
    };
    instrument.addCallback(observe);
    return () => instrument.removeCallback(observe);
  });
  return () => {
    for (const end of ends) end();
  };
}
