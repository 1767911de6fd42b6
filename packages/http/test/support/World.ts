/**
 * Servers over one store, as a merchant reaches them: the real core, a provider with scripted answers, and a store
 * that fails on demand. `acme` has a connection that can do everything, for EUR, and one that can charge alone, for USD;
 * `closed` is suspended.
 */
import { HttpConnector } from "@pointsman/connector-http"
import {
  type ApiKey,
  type Connection,
  credentialsContext,
  type Environment,
  formatApiKey,
  type Scope as KeyScope,
  Pointsman,
  type PointsmanOptions,
  type Tenant,
  type Workspace,
  webhookSecretContext
} from "@pointsman/core"
import { RefusalTick } from "@pointsman/core/internal"
import {
  type ConnectorDefinition,
  Connectors,
  Directory,
  Ids,
  type Invitation,
  Ledger,
  Notifier,
  type ProviderMessage,
  Secrets,
  type StorageServices,
  Transport,
  Unanswered
} from "@pointsman/core/ports"
import {
  type FaultyLedger,
  faultyLedger,
  openSecretsLayer,
  type ScriptedProvider,
  scriptedProvider
} from "@pointsman/core/testing"
import { RateLimit } from "@pointsman/http"
import { Context, type Duration, Effect, Exit, identity, Layer, Redacted, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Store } from "./Stores.ts"
import { serve, type Web } from "./Web.ts"

export const keyOf = (environment: Environment, byte: number) =>
  formatApiKey(environment, new Uint8Array(64).fill(byte))

export const keys = {
  acme: keyOf("sandbox", 1),
  acmeLive: keyOf("production", 2),
  globex: keyOf("sandbox", 3),
  globexLive: keyOf("production", 4),
  closed: keyOf("sandbox", 5),
  closedLive: keyOf("production", 6),
  revoked: keyOf("sandbox", 7),
  revokedLive: keyOf("production", 8),
  /** Belongs to nobody. */
  unknown: keyOf("sandbox", 9),
  /** To be revoked by a test. */
  leaving: keyOf("sandbox", 16)
} as const

/** What the provider of a connection signs its messages with. */
export const webhookSecretOf = (connectionId: string): string => `whsec_of_${connectionId}`

export const acme: Tenant = { workspaceId: "acme", environment: "sandbox" }

const allScopes = [
  "payments:read",
  "payments:write",
  "refunds:write",
  "disputes:read",
  "disputes:write",
  "events:read",
  "merchants:read",
  "merchants:write"
] as const satisfies ReadonlyArray<KeyScope>

/** Has every scope but this one. */
export const keyWithout = (scope: (typeof allScopes)[number]): string =>
  keyOf(scope.startsWith("merchants:") ? "production" : "sandbox", 20 + allScopes.indexOf(scope))

export const workspaceOf = (id: string, change: Partial<Workspace> = {}): Workspace => ({
  id,
  name: id,
  country: "NL",
  category: null,
  suspended: false,
  partner: null,
  ...change
})

export const apiKeyOf = (text: string, workspaceId: string, change: Partial<ApiKey> = {}): ApiKey => ({
  // The secrets of these tests hash a text to itself.
  hash: text,
  workspaceId,
  environment: text.startsWith("ps_test_") ? "sandbox" : "production",
  scopes: null,
  name: null,
  expiresAt: null,
  networks: null,
  revokedAt: null,
  source: "operator",
  createdAt: 0,
  ...change
})

/** A connection of acme's sandbox, unless fields say otherwise. */
export const connectionOf = Effect.fnUntraced(function* (id: string, fields: Partial<Connection> = {}) {
  const connection: Connection = {
    ...acme,
    id,
    name: `The ${id} acquirer`,
    connector: "scripted",
    active: true,
    priority: 1,
    sealedCredentials: yield* (yield* Secrets).seal(Redacted.make("{}"), credentialsContext(id)),
    sealedWebhookSecret: null,
    timeoutMillis: null,
    supports: {},
    restrictions: [],
    circuitBreaker: null,
    ...fields
  }
  return connection
}, Effect.orDie)

const configured = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* Directory
    const { seal } = yield* Secrets
    // No test of these is about circuits, and hundreds of results are unknown on purpose.
    const circuitBreaker = { failures: 1_000_000, openMillis: 1 }
    const scripted = Effect.fnUntraced(function* (id: string, fields: Partial<Connection> = {}) {
      const sealedWebhookSecret = yield* seal(Redacted.make(webhookSecretOf(id)), webhookSecretContext(id))
      return yield* connectionOf(id, {
        supports: { currencies: ["EUR"] },
        circuitBreaker,
        sealedWebhookSecret,
        ...fields
      })
    }, Effect.orDie)
    yield* directory.write({
      workspaces: [
        workspaceOf("acme", { partner: { allowance: 100 } }),
        workspaceOf("globex", { partner: { allowance: 100 } }),
        workspaceOf("closed", { suspended: true, partner: { allowance: 100 } })
      ],
      apiKeys: [
        apiKeyOf(keys.acme, "acme"),
        apiKeyOf(keys.acmeLive, "acme"),
        apiKeyOf(keys.globex, "globex"),
        apiKeyOf(keys.globexLive, "globex"),
        apiKeyOf(keys.closed, "closed"),
        apiKeyOf(keys.closedLive, "closed"),
        apiKeyOf(keys.revoked, "acme", { revokedAt: 1 }),
        apiKeyOf(keys.revokedLive, "acme", { revokedAt: 1 }),
        ...allScopes.map((lacking) =>
          apiKeyOf(keyWithout(lacking), "acme", { scopes: allScopes.filter((scope) => scope !== lacking) })
        ),
        apiKeyOf(keys.leaving, "acme")
      ],
      connections: [
        yield* scripted("main"),
        yield* connectionOf("bare", { connector: "bare", supports: { currencies: ["USD"] }, circuitBreaker }),
        yield* scripted("live", { environment: "production" }),
        yield* scripted("globex", { workspaceId: "globex" })
      ],
      routing: [],
      webhookEndpoints: []
    })
  })
)

/** A provider whose messages are those of the provider protocol, and say besides what `reads` makes of them. */
const speaking = (
  definition: ConnectorDefinition,
  reads: (message: ProviderMessage) => ProviderMessage
): ConnectorDefinition => ({
  ...definition,
  connect: (account, transport) =>
    Result.flatMap(definition.connect(account, transport), (connector) =>
      Result.map(
        HttpConnector.definition.connect(
          { ...account, credentials: { baseUrl: "http://provider.test", apiKey: "sk_1" } },
          transport
        ),
        ({ readMessage, readStored }) =>
          readMessage === undefined || readStored === undefined
            ? connector
            : { ...connector, readMessage: (raw) => Effect.map(readMessage(raw), reads), readStored }
      )
    )
})

/** No connector of these tests may reach for the network. */
export const noTransport = Layer.succeed(Transport, {
  send: () => Effect.fail(new Unanswered({ reason: "there is no network in this test" }))
})

export interface WorldOptions extends PointsmanOptions {
  /** Servers over the one store, each with a core of its own; 1 unless set. */
  readonly servers?: number
  /** The test turns the clock; it starts at 1970. */
  readonly testClock?: boolean
  /** Requests per second and key; no limit unless set. */
  readonly perSecond?: number
  /** Limits of providers' messages; none unless set. */
  readonly messageRate?: Layer.Layer<never>
  /** Where the hosted pages are; without it there are none. */
  readonly baseUrl?: string
  /** What the connector makes of a message of the provider protocol; the same unless set. */
  readonly reads?: (message: ProviderMessage) => ProviderMessage
  /** Takes the place of the store's ledger. */
  readonly ledger?: (ledger: Ledger["Service"]) => Ledger["Service"]
}

type Services = StorageServices | Secrets | Ids

export interface World {
  readonly provider: ScriptedProvider
  readonly ledger: FaultyLedger
  /** Of merchants, in their order. */
  readonly invitations: Array<Invitation>
  readonly servers: ReadonlyArray<Web>
  /** To the first server. */
  readonly send: Web["send"]
  /** At the store itself, and with the test's clock. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  /** Turns the clock of a world that has one of its own. */
  readonly adjust: (duration: Duration.Input) => Promise<void>
  /** Turns the clock, 50 milliseconds at a time, until the promise is settled. */
  readonly runOut: <A>(promise: Promise<A>) => Promise<A>
  /** Checks what is due, by the first server. */
  readonly checkDue: () => Promise<unknown>
  /** Everything as at the start, but what is stored. */
  readonly reset: () => void
  readonly close: () => Promise<void>
}

export const openWorld = async (store: Store, options: WorldOptions = {}): Promise<World> => {
  const scope = Scope.makeUnsafe()
  const provider = scriptedProvider()
  const bare = scriptedProvider({ name: "bare", without: ["capture", "void", "refund"] })
  const ledger = faultyLedger()
  const invitations: Array<Invitation> = []
  /** What the store is at work on, which no clock of a test knows of. */
  let atWork = 0
  const counted =
    <Parameters extends ReadonlyArray<unknown>, A, E>(method: (...parameters: Parameters) => Effect.Effect<A, E>) =>
    (...parameters: Parameters): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        atWork += 1
        return Effect.ensuring(
          method(...parameters),
          Effect.sync(() => {
            atWork -= 1
          })
        )
      })
  const replaced = Layer.effectContext(
    Effect.gen(function* () {
      const stored = yield* Ledger
      const ledger = options.ledger?.(stored) ?? stored
      const directory = yield* Directory
      return Context.make(Ledger, {
        ...ledger,
        commit: counted(ledger.commit),
        book: counted(ledger.book),
        payment: counted(ledger.payment),
        claim: counted(ledger.claim)
      }).pipe(
        Context.add(Directory, {
          ...directory,
          keyHolder: counted(directory.keyHolder),
          workspace: counted(directory.workspace),
          connections: counted(directory.connections),
          connection: counted(directory.connection),
          routing: counted(directory.routing)
        })
      )
    })
  )
  const clock: Layer.Layer<never> =
    options.testClock === true
      ? // A refused message would wait for the test to go on.
        Layer.merge(TestClock.layer({ warningDelay: "1 hour" }), Layer.succeed(RefusalTick, 0))
      : Layer.empty
  const ambient: Context.Context<never> = await Effect.runPromise(Layer.buildWithScope(clock, scope))
  const start = <A>(layer: Layer.Layer<A>, within: Scope.Scope = scope) =>
    Effect.runPromise(Effect.provideContext(Layer.buildWithScope(layer, within), ambient))
  const services: Context.Context<Services> = await start(
    ledger.layer.pipe(
      Layer.provideMerge(replaced),
      Layer.provideMerge(configured),
      // Built anew for each world, and not shared with the one before.
      Layer.provideMerge(Layer.fresh(store)),
      Layer.provideMerge([Ids.layer, openSecretsLayer]),
      Layer.orDie
    )
  )
  const servers: Array<Web> = []
  const checks: Array<Pointsman["Service"]["checkDue"]> = []
  const cores: Array<Scope.Closeable> = []
  for (let number = 0; number < (options.servers ?? 1); number++) {
    const core = Scope.makeUnsafe()
    cores.push(core)
    const pointsman = await start(
      Pointsman.layer(options).pipe(
        Layer.provide([
          Layer.succeedContext(services),
          noTransport,
          Layer.succeed(Notifier, {
            merchantInvited: (invitation) => Effect.sync(() => invitations.push(invitation))
          }),
          Connectors.layer([speaking(provider.definition, options.reads ?? identity), bare.definition])
        ])
      ),
      core
    )
    const limits = options.perSecond === undefined ? [] : [RateLimit.layer({ perSecond: options.perSecond })]
    const ofMessages = options.messageRate ?? Layer.empty
    checks.push(Context.get(pointsman, Pointsman).checkDue)
    servers.push(serve(Layer.succeedContext(pointsman), { baseUrl: options.baseUrl }, [...limits, ofMessages], ambient))
  }
  const obedient = { ...provider }
  const untouched = { ...ledger }
  const adjust = (duration: Duration.Input) =>
    Effect.runPromise(Effect.provideContext(TestClock.adjust(duration), ambient))
  const [first] = servers as [Web, ...Array<Web>]
  return {
    provider,
    ledger,
    invitations,
    servers,
    send: first.send,
    run: (effect) => Effect.runPromise(Effect.provideContext(Effect.provideContext(effect, services), ambient)),
    adjust,
    runOut: async (promise) => {
      let isOver = false
      const over = () => {
        isOver = true
      }
      promise.then(over, over)
      // One simulated minute at most. The store gets its time, or a claim would grow old of a slow disk.
      for (let millis = 0; millis < 60_000 && !isOver; ) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        if (atWork > 0) continue
        await adjust(50)
        millis += 50
      }
      return promise
    },
    checkDue: () => Effect.runPromise(Effect.provideContext(checks[0] ?? Effect.void, ambient)),
    reset: () => {
      const { onCapture, onCharge, onRefund, onVoid } = obedient
      Object.assign(provider, { onCapture, onCharge, onRefund, onVoid })
      for (const calls of [provider.charges, provider.captures, provider.voids, provider.refunds]) calls.length = 0
      for (const calls of [provider.submissions, provider.acceptances]) calls.length = 0
      const { beforeCommit, canRead, onCommit } = untouched
      Object.assign(ledger, { beforeCommit, canRead, onCommit })
      ledger.changes.length = 0
    },
    close: async () => {
      for (const server of servers) await server.close()
      for (const core of cores) await Effect.runPromise(Scope.close(core, Exit.void))
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
