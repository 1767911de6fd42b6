/** A transport in memory: it records what it is asked to send, and answers by a script. */
import type {
  Connector,
  ConnectorAccount,
  ConnectorDefinition,
  NotSent,
  Transport,
  TransportAnswer,
  TransportRequest,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"

export interface ScriptedTransport {
  readonly transport: Transport["Service"]
  /** Every request, in order. */
  readonly requests: ReadonlyArray<TransportRequest>
}

/** One entry for each request. A request beyond the script is a defect. */
export const scriptedTransport = (
  script: ReadonlyArray<Effect.Effect<TransportAnswer, NotSent | Unanswered>>
): ScriptedTransport => {
  const requests: Array<TransportRequest> = []
  return {
    requests,
    transport: {
      send: (request) =>
        Effect.suspend(() => {
          requests.push(request)
          return script[requests.length - 1] ?? Effect.die(new Error("the connector sent a request too many"))
        })
    }
  }
}

type Headers = TransportAnswer["headers"]

/** Answers of a provider with these headers: a text as it is, and anything else as JSON. */
export const answering =
  (own: Headers = {}) =>
  (status: number, body: unknown, headers: Headers = {}): TransportAnswer => ({
    status,
    headers: { ...own, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

/** A connector, and every request that it sent, in order. */
export interface RecordedConnector extends Pick<ScriptedTransport, "requests"> {
  readonly connector: Connector
}

/** A connector that is answered so, one answer for each request; in the sandbox, where `account` says nothing else. */
export const scriptedConnector = (
  definition: ConnectorDefinition,
  answers: ReadonlyArray<TransportAnswer>,
  account: Partial<ConnectorAccount>
): RecordedConnector => {
  const { requests, transport } = scriptedTransport(answers.map((answer) => Effect.succeed(answer)))
  return { requests, connector: connectedTo(definition, transport, account) }
}

/** The same, with a provider that sees each request before it answers it. */
export const playedConnector = (
  definition: ConnectorDefinition,
  answerTo: (request: TransportRequest) => TransportAnswer | Effect.Effect<TransportAnswer, NotSent | Unanswered>,
  account: Partial<ConnectorAccount>
): RecordedConnector => {
  const requests: Array<TransportRequest> = []
  const send = (request: TransportRequest) =>
    Effect.suspend(() => {
      requests.push(request)
      const answer = answerTo(request)
      return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
    })
  return { requests, connector: connectedTo(definition, { send }, account) }
}

const connectedTo = (
  definition: ConnectorDefinition,
  transport: Transport["Service"],
  account: Partial<ConnectorAccount>
): Connector => {
  const all = {
    connectionId: "main",
    environment: "sandbox",
    credentials: {},
    timeoutMillis: 2_000,
    ...account
  } as const
  return Result.getOrThrow(definition.connect(all, transport))
}
