/** The console over a whole Pointsman in memory: two workspaces, both environments, and a scripted provider. */

import { type ConsoleOptions, make } from "@pointsman/console"
import {
  type Connection,
  credentialsContext,
  type Environment,
  environments,
  type OperatorGrant,
  type OperatorMethods,
  Pointsman,
  type Workspace,
  webhookSecretContext
} from "@pointsman/core"
import {
  Audit,
  type ConnectorDefinition,
  Connectors,
  Directory,
  type DirectoryContents,
  Ids,
  MessageUnreadable,
  Passwords,
  type ProviderMessage,
  Secrets,
  type StorageServices,
  Transport,
  Unanswered
} from "@pointsman/core/ports"
import { openSecretsLayer, sampleRequest, scriptedProvider } from "@pointsman/core/testing"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Clock, Effect, Layer, Logger, ManagedRuntime, Redacted, Result } from "effect"

export const origin = "http://console.test"
export const mount = "/console"
export const password = "correct horse battery"

export const workspaceOf = (id: string): Workspace => ({
  id,
  name: `The ${id} <shop>`,
  country: "NL",
  category: null,
  suspended: false,
  partner: null
})

const noTransport = Layer.succeed(Transport, {
  send: () => Effect.fail(new Unanswered({ reason: "there is no network in this test" }))
})

/** Its messages are JSON: a message's id, the id of an attempt, and that the attempt was captured under `ref`. */
export const speaking = (definition: ConnectorDefinition): ConnectorDefinition => {
  const read = ({ body }: { readonly body: Uint8Array }) => {
    const { attempt, id, says } = JSON.parse(new TextDecoder().decode(body)) as Record<string, string>
    return says === "captured"
      ? Effect.succeed<ProviderMessage>({
          id: id ?? "",
          at: null,
          about: {
            _tag: "Charge",
            charge: { attemptId: attempt ?? "" },
            state: (money) => ({ _tag: "Captured", providerRef: "ref", stated: money })
          }
        })
      : Effect.fail(new MessageUnreadable({ reason: "says" }))
  }
  return {
    ...definition,
    connect: (account, transport) =>
      Result.map(definition.connect(account, transport), (connector) => ({
        ...connector,
        readMessage: read,
        readStored: read
      }))
  }
}

/** How a call of the provider ends that is not answered. */
export const silence = Effect.fail(new Unanswered({ reason: "timeout <b>" }))

/** As fast as a test wants it. */
const passwords = Layer.succeed(Passwords, {
  hash: (text) => Effect.succeed(`hash of ${Redacted.value(text)}`),
  verify: (text, hash) => Effect.succeed(hash === `hash of ${Redacted.value(text)}`)
})

/** A connection of acme's sandbox to the scripted provider, unless fields say otherwise. */
export const connectionOf = Effect.fnUntraced(function* (
  id: string,
  fields: Partial<Connection> = {},
  credentials: object = {}
) {
  const { seal } = yield* Secrets
  const connection: Connection = {
    id,
    workspaceId: "acme",
    environment: "sandbox",
    name: `The ${id} acquirer`,
    connector: "scripted",
    active: true,
    priority: 1,
    sealedCredentials: yield* seal(Redacted.make(JSON.stringify(credentials)), credentialsContext(id)),
    sealedWebhookSecret: yield* seal(Redacted.make("whsec"), webhookSecretContext(id)),
    timeoutMillis: null,
    supports: {},
    restrictions: [],
    circuitBreaker: null,
    ...fields
  }
  return connection
}, Effect.orDie)

/** Written beside what is stored. */
export const contentsOf = (contents: Partial<DirectoryContents>): DirectoryContents => ({
  ...{ workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] },
  ...contents
})

/** A clock at the time that a test sets, in epoch milliseconds; what sleeps wakes as ever. */
export const clockAt = (now: () => number, real = Effect.runSync(Clock.Clock)): Clock.Clock => ({
  currentTimeMillisUnsafe: now,
  currentTimeMillis: Effect.sync(now),
  currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  sleep: (duration) => real.sleep(duration)
})

const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const connections: Array<Connection> = []
    for (const workspaceId of ["acme", "globex"]) {
      for (const environment of environments) {
        connections.push(yield* connectionOf(`${workspaceId}-${environment}`, { workspaceId, environment }))
      }
    }
    yield* (yield* Directory).write(contentsOf({ workspaces: ["acme", "globex"].map(workspaceOf), connections }))
  })
)

export interface Sent {
  readonly method?: string
  /** A path under the mount. */
  readonly cookie?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** As JSON. */
  readonly body?: unknown
  /** With files, where there are any: as a browser sends a form of `multipart/form-data`. */
  readonly form?: Readonly<Record<string, string>> | FormData
  readonly source?: string
}

/** What a test may replace. */
export interface WorldParts {
  readonly clock?: Clock.Clock
  readonly configured?: Layer.Layer<never, never, Directory | Secrets>
  readonly connectors?: ReadonlyArray<ConnectorDefinition>
  readonly ids?: Layer.Layer<Ids>
  readonly limits?: Layer.Layer<never>
  readonly secrets?: Layer.Layer<Secrets>
  readonly storage?: ReturnType<typeof MemoryStorage.layer>
}

const textOf = (body: unknown, form: Readonly<Record<string, string>> | undefined) => {
  if (form !== undefined) return new URLSearchParams(form)
  return body === undefined ? null : JSON.stringify(body)
}

type SampleDetails = NonNullable<NonNullable<Parameters<typeof sampleRequest>[0]>["details"]>

export const world = (options: Partial<ConsoleOptions> = {}, parts: WorldParts = {}) => {
  const provider = scriptedProvider()
  const connectors = parts.connectors ?? [speaking(provider.definition)]
  const log: Array<string> = []
  const runtime = ManagedRuntime.make(
    Pointsman.layer().pipe(
      Layer.provideMerge(parts.configured ?? configured),
      Layer.provideMerge(parts.storage ?? MemoryStorage.layer()),
      Layer.provideMerge(parts.secrets ?? openSecretsLayer),
      Layer.provide([parts.ids ?? Ids.layer, noTransport, passwords, Connectors.layer(connectors)]),
      Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))])),
      Layer.provideMerge(parts.limits ?? Layer.empty),
      Layer.provideMerge(parts.clock === undefined ? Layer.empty : Layer.succeed(Clock.Clock, parts.clock)),
      Layer.orDie
    )
  )
  const services = Layer.effectContext(runtime.contextEffect)
  const { dispose, handler } = make({ mount, ...options }, services)

  const send = async (path: string, sent: Sent = {}): Promise<Response> => {
    const { body, form } = sent
    // As a browser sends it, with its length.
    const files = form instanceof FormData ? new Response(form) : undefined
    const content =
      files === undefined ? textOf(body, form as Readonly<Record<string, string>>) : await files.arrayBuffer()
    const type = files?.headers.get("content-type")
    return handler(
      new Request(`${options.isSecure === true ? origin.replace("http:", "https:") : origin}${mount}${path}`, {
        method: sent.method ?? (content === null ? "GET" : "POST"),
        headers: {
          "sec-fetch-site": "same-origin",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(type == null || !(content instanceof ArrayBuffer)
            ? {}
            : { "content-type": type, "content-length": String(content.byteLength) }),
          ...(sent.cookie === undefined ? {} : { cookie: sent.cookie }),
          ...sent.headers
        },
        body: content
      }),
      { source: sent.source ?? "203.0.113.9" }
    )
  }

  const run = <A, E>(effect: Effect.Effect<A, E, Pointsman | StorageServices | Secrets>) => runtime.runPromise(effect)
  const ask = <A, E>(use: (pointsman: Pointsman["Service"]) => Effect.Effect<A, E, StorageServices | Secrets>) =>
    run(Effect.flatMap(Pointsman, use))
  const contents = () => run(Effect.flatMap(Directory, (directory) => directory.contents))
  /** Beside what is stored, as a configuration does. */
  const write = (written: Partial<DirectoryContents>) =>
    run(Effect.flatMap(Directory, (directory) => directory.write(contentsOf(written))))
  const operators: Promise<OperatorMethods> = run(Effect.map(Pointsman, (pointsman) => pointsman.operators))

  /** Signs a new operator in by a link; gives the cookie. */
  const signIn = async (login: string, grants: ReadonlyArray<OperatorGrant>): Promise<string> => {
    await run((await operators).add({ login, displayName: login, grants }))
    return signInAgain(login)
  }
  const linkOf = async (login: string) => {
    return Redacted.value((await run((await operators).createLink(login))).token)
  }
  const signInAgain = async (login: string): Promise<string> =>
    cookieOf(await send("/api/session/link", { body: { token: await linkOf(login) } }))

  /** A payment that was captured at once, or is authorized. */
  const pay = async (
    workspaceId: string,
    environment: Environment,
    captureMethod: "automatic" | "manual",
    reference = `order <${captureMethod}>`,
    details: SampleDetails = {}
  ) => {
    const caller = { tenant: { workspaceId, environment }, workspace: workspaceOf(workspaceId) }
    const request = sampleRequest({
      details: { captureMethod, reference, metadata: { kind: captureMethod }, ...details }
    })
    return (await ask(({ create }) => create(caller, request))).payment
  }
  /** A verified message that could not be read when it came. */
  const receive = (workspaceId: string, environment: Environment, body: string) =>
    ask(({ recordMessage }) =>
      recordMessage({
        connectionId: `${workspaceId}-${environment}`,
        tenant: { workspaceId, environment },
        receivedAt: Date.now(),
        body,
        message: null,
        reason: "says"
      })
    )
  /** The payment of acme's sandbox, with all that is recorded of it. */
  const fileOf = (id: string) =>
    ask(({ paymentFile }) => paymentFile({ workspaceId: "acme", environment: "sandbox" }, id))
  /** The entries of the audit trail about such actions, oldest first. */
  const audited = async (action: RegExp) => {
    const entries = await run(Effect.flatMap(Audit, ({ list }) => list({ after: 0, limit: 100 })))
    return entries.filter((entry) => action.test(entry.action))
  }
  return {
    provider,
    fileOf,
    audited,
    log,
    receive,
    handler,
    send,
    run,
    ask,
    contents,
    write,
    operators,
    signIn,
    signInAgain,
    linkOf,
    pay,
    close: async () => {
      await dispose()
      await runtime.dispose()
    }
  }
}

export type World = ReturnType<typeof world>

/** What a browser sends back. */
export const cookieOf = (response: Response): string =>
  (response.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export const bodyOf = async (response: Response): Promise<any> => JSON.parse(await response.text())
