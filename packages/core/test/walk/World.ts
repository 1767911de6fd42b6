/** Several processes of Pointsman over one store and one provider; each may die, and each has a store that fails. */
import {
  type Caller,
  type Connection,
  Connectors,
  credentialsContext,
  Directory,
  Ids,
  Ledger,
  Pointsman,
  Secrets,
  Transport,
  Unanswered
} from "@pointsman/core"
import { type CommitFault, type FaultyLedger, faultyLedger, openSecretsLayer } from "@pointsman/core/testing"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Context, Effect, Layer, Redacted, Result, type Scope } from "effect"
import { workspace } from "../support/World.ts"
import type { Draw } from "./Draw.ts"
import { timeoutMillis, type WalkProvider } from "./Provider.ts"

export const sandbox: Caller = { tenant: { workspaceId: workspace.id, environment: "sandbox" }, workspace }
export const production: Caller = { tenant: { workspaceId: workspace.id, environment: "production" }, workspace }

export interface Process {
  readonly pointsman: Pointsman["Service"]
  readonly ledger: FaultyLedger
  readonly isDead: () => boolean
  readonly die: () => void
}

export interface WalkWorld {
  /** Those that are alive; never none. */
  readonly alive: () => ReadonlyArray<Process>
  /** One more, as a supervisor starts it. */
  readonly start: Effect.Effect<void, never, Scope.Scope>
  /** The store itself, which does not fail. */
  readonly ledger: Ledger["Service"]
  /** From now on every store is well. */
  readonly recover: () => void
}

const noTransport = Layer.succeed(Transport, {
  send: () => Effect.fail(new Unanswered({ reason: "there is no network in a walk" }))
})

/** Counted, not drawn: the same walk has the same ids. */
const countedIds = () => {
  let count = 0
  const uuid = Effect.sync(() => {
    count += 1
    return `00000000-0000-7000-8000-${count.toString(16).padStart(12, "0")}`
  })
  const prefixed = (prefix: string) => Effect.map(uuid, (id) => `${prefix}_${id}`)
  return Layer.succeed(Ids, {
    payment: uuid,
    attempt: prefixed("att"),
    operation: prefixed("op"),
    refund: prefixed("rf"),
    event: prefixed("evt"),
    request: prefixed("req"),
    merchant: prefixed("mer"),
    delivery: prefixed("dlv")
  })
}

const connection = Effect.fnUntraced(function* (id: string, environment: Connection["environment"], priority: number) {
  const secrets = yield* Secrets
  const made: Connection = {
    id,
    workspaceId: workspace.id,
    environment,
    name: id,
    connector: "walk",
    active: true,
    priority,
    sealedCredentials: yield* secrets.seal(Redacted.make("{}"), credentialsContext(id)),
    sealedWebhookSecret: null,
    timeoutMillis,
    supports: {},
    restrictions: [],
    circuitBreaker: null
  }
  return made
})

export const walkWorld = Effect.fnUntraced(function* (draw: Draw, provider: WalkProvider) {
  const ids = countedIds()
  const storage = yield* Layer.build(
    MemoryStorage.layer({ yieldBetween: draw.chance(0.5) }).pipe(Layer.provide(ids), Layer.fresh)
  )
  const shared = Layer.merge(Layer.succeedContext(storage), openSecretsLayer)
  yield* Effect.gen(function* () {
    const directory = yield* Directory
    const connections = yield* Effect.all([
      connection("main-sandbox", "sandbox", 1),
      connection("backup-sandbox", "sandbox", 2),
      connection("main-live", "production", 1),
      connection("backup-live", "production", 2)
    ])
    yield* directory.write({
      workspaces: [workspace],
      apiKeys: [],
      connections,
      routing: [sandbox, production].map(({ tenant }) => ({ ...tenant, settings: { mode: "failover" as const } })),
      webhookEndpoints: []
    })
  }).pipe(Effect.provide(shared))
  const beneath = yield* Effect.provide(Ledger, shared)

  const processes: Array<Process> = []
  const alive = () => processes.filter((process) => !process.isDead())
  const checkIntervals = draw.pick([
    {},
    { unknownMillis: 10_000, pendingMillis: 60_000, refundMillis: 10_000, deadRequestMillis: 60_000 }
  ])
  const faultRate = draw.pick([0, 0.05, 0.15])
  let isWell = false

  const fault = (die: () => void): CommitFault => {
    if (isWell || !draw.chance(faultRate)) return undefined
    const drawn = draw.pick(["unwritten", "lost", "unheard", "dies", "late", "slow"] as const)
    if (drawn === "late") return { landsAfter: draw.pick([0, 1, 1_000, 20_000]) }
    // As a process that freezes, for longer than anybody waits for it.
    if (drawn === "slow") return draw.pick([1, 3_000, 6_000, 20 * 60_000])
    if (drawn !== "dies") return drawn
    die()
    return "unheard"
  }

  const start = Effect.gen(function* () {
    const ledger = faultyLedger()
    let isGone = false
    const process = {
      isDead: () => isGone,
      // Somebody has to be left.
      die: () => {
        isGone = alive().length > 1
      }
    }
    ledger.beforeCommit = () => (isGone ? Effect.never : Effect.void)
    ledger.onCommit = () => fault(process.die)
    ledger.canRead = () => !isGone && (isWell || !draw.chance(faultRate / 3))
    const definition = {
      name: "walk",
      environments: ["sandbox", "production"] as const,
      supports: {},
      connect: ({ connectionId }: { readonly connectionId: string }) =>
        Result.succeed(provider.connectorFor(connectionId, process))
    }
    const layer = Pointsman.layer({ providerTimeoutMillis: timeoutMillis, checkIntervals }).pipe(
      Layer.provide(ledger.layer),
      Layer.provide(shared),
      Layer.provide([ids, noTransport, Connectors.layer([definition])]),
      Layer.fresh
    )
    const built = yield* Layer.build(layer)
    processes.push({ ...process, ledger, pointsman: Context.get(built, Pointsman) })
  })
  for (let count = 0; count < 3; count++) yield* start

  return {
    alive,
    start: Effect.orDie(start),
    ledger: beneath,
    recover: () => {
      isWell = true
    }
  }
})
