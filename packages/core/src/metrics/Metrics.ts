/**
 * What Pointsman counts, through Effect's own metrics: whoever wants the numbers reads Effect's registry. Nothing here
 * is read to decide anything.
 *
 * A family is counted in series, one for each set of labels. Labels are ids of the configuration and words of ours,
 * never what a request brought: that bounds how many series there are, and keeps secrets out.
 */
import { Metric } from "effect"

/** One counter for each set of labels, made once: naming it anew would cost more than counting. */
const counters = <const Labels extends ReadonlyArray<string>>(
  name: string,
  options: { readonly description: string; readonly labels: Labels }
): ((...values: { readonly [Label in keyof Labels]: string }) => Metric.Counter<number>) => {
  const series = new Map<string, Metric.Counter<number>>()
  return (...values) => {
    const key = values.join("\u0000")
    const known = series.get(key)
    if (known !== undefined) return known
    const attributes = Object.fromEntries(options.labels.map((label, at) => [label, values[at] ?? ""]))
    const made = Metric.counter(name, { description: options.description, attributes, incremental: true })
    series.set(key, made)
    return made
  }
}

/** Attempts that ended, by how their call ended. */
export const attemptsEnded = counters("pointsman_attempts_total", {
  description: "Attempts to charge or to open a checkout that ended, by connection and outcome.",
  labels: ["connection", "outcome"]
})

/** Payments that began with a route. A request that is answered from an earlier one makes no decision. */
export const routesTaken = counters("pointsman_routing_decisions_total", {
  description: "Payments that were routed, by what decided (engine, rule, control) and by mode.",
  labels: ["path", "mode"]
})

/** Closed circuits that opened in this process; a probe that fails opens nothing anew. */
export const circuitsOpened = counters("pointsman_circuit_opened_total", {
  description: "How often the circuit of a connection opened.",
  labels: ["connection"]
})
