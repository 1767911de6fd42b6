/**
 * A collector of OpenTelemetry in the test's own process: it takes OTLP over HTTP, and returns what it received. Spans, logs
 * and metrics are read from JSON alone.
 */
import type { IncomingHttpHeaders } from "node:http"
import { serveHttp } from "./HttpHere.ts"

type Value = string | number | boolean | null | undefined | object
export type Attributes = Readonly<Record<string, Value>>

export interface CollectedSpan {
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly attributes: Attributes
  /** 1 ok, 2 error. */
  readonly status: { readonly code: number; readonly message?: string }
}

export interface CollectedLog {
  readonly body: Value
  readonly level: string
  readonly attributes: Attributes
  readonly traceId: string | undefined
}

export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  readonly requests: ReadonlyArray<{
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly body: string
    /** As they came, compressed or not. */
    readonly bytes: Uint8Array
  }>
  readonly spans: () => ReadonlyArray<CollectedSpan>
  readonly logs: () => ReadonlyArray<CollectedLog>
  /** Names of the metrics that were told. */
  readonly metrics: () => ReadonlySet<string>
  readonly resource: () => Attributes
}

/** `behaviour`: what it does with each request. */
export const startCollector = async (behaviour: "takes" | "hangs" | "refuses" = "takes"): Promise<Collector> => {
  const requests: Array<Collector["requests"][number]> = []
  const { url } = await serveHttp((request, response, bytes) => {
    requests.push({ path: request.url ?? "", headers: request.headers, body: String(bytes), bytes })
    if (behaviour !== "hangs") response.writeHead(behaviour === "takes" ? 200 : 400).end("{}")
  })
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's document, from the exporter under test.
  const documents = (path: string): ReadonlyArray<any> =>
    requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body))
  return {
    url,
    requests,
    spans: () =>
      documents("/v1/traces").flatMap(({ resourceSpans }) =>
        resourceSpans[0].scopeSpans[0].spans.map((span: CollectedSpan & { attributes: ReadonlyArray<KeyValue> }) => ({
          ...span,
          attributes: attributesOf(span.attributes)
        }))
      ),
    logs: () =>
      documents("/v1/logs").flatMap(({ resourceLogs }) =>
        resourceLogs[0].scopeLogs[0].logRecords.map(
          (log: {
            body: KeyValue["value"]
            severityText: string
            attributes: ReadonlyArray<KeyValue>
            traceId?: string
          }) => ({
            body: anyValue(log.body),
            level: log.severityText,
            attributes: attributesOf(log.attributes),
            traceId: log.traceId
          })
        )
      ),
    metrics: () =>
      new Set(
        documents("/v1/metrics").flatMap(({ resourceMetrics }) =>
          resourceMetrics[0].scopeMetrics[0].metrics.map(({ name }: { name: string }) => name)
        )
      ),
    resource: () => attributesOf(documents("/v1/traces")[0].resourceSpans[0].resource.attributes)
  }
}

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, Value>>
}

const anyValue = (value: KeyValue["value"]): Value => Object.values(value)[0]

const attributesOf = (attributes: ReadonlyArray<KeyValue>): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, anyValue(value)]))
