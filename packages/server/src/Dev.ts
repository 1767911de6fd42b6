/**
 * The sandbox of `pointsman dev`: a server on a database of its own, with payments in every state that is worth looking
 * at, a dispute, a report and its payout, and a receiver of its webhooks. Nothing here is for production: the receiver is
 * at a private address, and open payments are polled every two seconds.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { disputedReference } from "@pointsman/connector-sandbox"
import { type Caller, endpointSecretContext, Pointsman, signatureHeader, verifySignature } from "@pointsman/core"
import { Directory, keyStorageError, Secrets } from "@pointsman/core/ports"
import { Clock, Console, Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { ProcessEnvironment } from "./CollectAudit.ts"
import { EventShape, eventLine } from "./commands/EventLine.ts"
import { devFile, formatDevFile, isAlive, runningDev } from "./commands/LocalServer.ts"
import { type Outcome, outcomes } from "./commands/TriggerOutcomes.ts"
import { commandName } from "./commands/Words.ts"
import { ensureFolder, sandboxDatabase } from "./DatabaseFile.ts"
import { fileFailure } from "./EncryptionKey.ts"
import { connectorsOfSettings } from "./LoadConnectors.ts"
import { readSampleReport } from "./SampleReport.ts"
import { bringMessages } from "./SandboxMessages.ts"
import { replaceSecretFile } from "./SecretFile.ts"
import { type BeforeRequests, serve } from "./Serve.ts"
import { type Flags, readSettings } from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"

export interface DevOptions {
  /** Address and port, as flags have them. */
  readonly flags: Flags
  /** Nothing of what an earlier run left. */
  readonly fresh: boolean
  /** Keeps nothing. */
  readonly inMemory: boolean
}

/** What a developer waits for comes soon, and no setting of another server's database takes part. */
const ofDev = {
  allowPrivateWebhooks: "true",
  providerTimeoutMillis: "2 seconds",
  unknownCheckIntervalMillis: "2 seconds",
  pendingCheckIntervalMillis: "2 seconds",
  refundCheckIntervalMillis: "2 seconds",
  deadRequestIntervalMillis: "30 seconds",
  // What SQLite allows.
  workers: "1",
  sharedLimits: "false",
  batchCommits: "true"
} as const satisfies Flags

export const dev = Effect.fnUntraced(function* ({ flags, fresh, inMemory }: DevOptions) {
  const database = inMemory ? "sqlite::memory:" : `sqlite:${sandboxDatabase.path}`
  const settings = yield* readSettings({ ...flags, ...ofDev, database })
  yield* refuseSecond
  // Nothing else of the file takes part: `pointsman config apply` brings its connections to the sandbox. A file that only
  // the environment names may be another server's.
  const connectors = flags["configuration"] === undefined ? [] : yield* connectorsOfSettings(settings)
  yield* ensureFolder({ _tag: "SqliteFile", path: devFile })
  if (fresh) yield* forget
  return yield* serve(
    { ...settings, configuration: null, encryptionKey: null, adminPort: null, tlsCertificate: null, tlsKey: null },
    {},
    furnish(settings.baseUrl),
    connectors
  )
})

/** Two servers on one file would each send what is due. */
const refuseSecond = Effect.gen(function* () {
  const found = yield* runningDev
  if (Option.isNone(found)) return
  const { url } = found.value
  if (yield* isAlive(url)) {
    return yield* new StartFailure({
      message: `A sandbox for this folder is already running at ${url}. Stop it first.`
    })
  }
})

/** The database, and what lies beside it under its name: its keys, and the record of the simulated provider. */
const forget = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = paths.dirname(sandboxDatabase.path)
  const names = yield* Effect.mapError(files.readDirectory(folder), fileFailure(folder, "read"))
  for (const name of names.filter((name) => name.startsWith(paths.basename(sandboxDatabase.path)))) {
    const path = paths.join(folder, name)
    yield* Effect.mapError(files.remove(path), fileFailure(path, "written"))
  }
})

const furnish =
  (publicUrl: string | null): BeforeRequests =>
  ({ sandboxKey, url }) =>
    Effect.gen(function* () {
      if (Option.isNone(sandboxKey)) {
        return yield* new StartFailure({
          message: "The API key of this sandbox was revoked. Start over with `pointsman dev --fresh`."
        })
      }
      const receiver = yield* receive
      const caller = yield* callerOf(sandboxKey.value)
      yield* addEndpoint(caller, receiver)
      const pointsman = yield* Pointsman
      const { items } = yield* pointsman.payments(caller.tenant, { limit: 1 })
      if (items.length === 0) {
        yield* Effect.forEach(seeds, (seed) => play(caller, seed), { discard: true })
        yield* Effect.mapError(readSampleReport(caller.tenant), notMade)
        // The provider opens a dispute of it at once (`bringMessages`).
        yield* play(caller, { name: `${disputedReference}lost-1001`, simulate: {} })
      }
      yield* Effect.forkScoped(bringMessages)
      const page = yield* pageFor(caller, `${receiver.url}/thank-you`)
      const command = commandName(yield* ProcessEnvironment)
      yield* announce(url, Redacted.value(sandboxKey.value))
      return [
        "",
        "A hosted payment page waiting for its customer (you):",
        "",
        `${publicUrl ?? url}/hosted/${yield* pointsman.pageToken(page)}`,
        "",
        "In another terminal:",
        "",
        `${command} trigger unknown-then-captured   make a payment with a given outcome`,
        `${command} listen --forward <url>          forward events to your webhook receiver`,
        "",
        "Webhooks delivered to the sandbox's own receiver are shown here."
      ]
    })

// ---------------------------------------------------------------------------------------------------------------
// Payments.

/** In the order in which they are made. */
const seeds: ReadonlyArray<Outcome> = [
  "captured",
  "partially-refunded",
  "refunded",
  "authorized",
  "voided",
  "declined:insufficient_funds",
  "failover",
  "soft-declined",
  "unknown",
  "pending",
  "refund-unknown"
].flatMap((name) => outcomes.filter((outcome) => outcome.name === name))

const minorUnits = 1999

const details = (reference: string, outcome: Pick<Outcome, "simulate" | "isHeld">) => ({
  money: { minorUnits, currency: "EUR" },
  country: "NL",
  method: "card" as const,
  cardBrand: null,
  initiator: "cit" as const,
  captureMethod: outcome.isHeld === true ? ("manual" as const) : ("automatic" as const),
  reference,
  simulation: outcome.simulate
})

/** The workspace is the one that the key is for. */
const callerOf = Effect.fnUntraced(function* (key: Redacted.Redacted<string>) {
  const { workspace } = yield* (yield* Pointsman)
    .authenticate(Redacted.value(key))
    .pipe(Effect.catchTag("pointsman/KeyRefused", (refused) => Effect.fail(notMade(refused))))
  return { tenant: { workspaceId: workspace.id, environment: "sandbox" }, workspace } satisfies Caller
})

const notMade = ({ _tag }: { readonly _tag: string }) =>
  new StartFailure({
    message: `The sandbox payments could not be created (${_tag}). Try \`pointsman dev --fresh\`.`
  })

const play = Effect.fnUntraced(function* (
  caller: Caller,
  outcome: Pick<Outcome, "after" | "isHeld" | "name" | "simulate">
) {
  const pointsman = yield* Pointsman
  const order = { instruments: null, idempotencyKey: null, debug: false }
  const { payment } = yield* Effect.mapError(
    pointsman.create(caller, { ...order, details: details(outcome.name, outcome) }),
    notMade
  )
  for (const { operation, part } of outcome.after ?? []) {
    const amountMinor = part === true ? Math.floor(minorUnits / 2) : null
    const asked = { paymentId: payment.id, amountMinor, reason: null, idempotencyKey: null }
    // One that is refused or not answered is what was to be shown.
    yield* Effect.ignore(pointsman[operation](caller, asked))
  }
})

const pageFor = Effect.fnUntraced(function* (caller: Caller, returnUrl: string) {
  const pointsman = yield* Pointsman
  const { payment } = yield* Effect.mapError(
    pointsman.create(caller, {
      instruments: null,
      idempotencyKey: null,
      debug: false,
      details: details("hosted page", { simulate: {} }),
      returnUrl
    }),
    notMade
  )
  return payment.id
})

// ---------------------------------------------------------------------------------------------------------------
// Webhooks.

interface Receiver {
  readonly url: string
  readonly secret: string
}

const endpointId = "whe_demo_receiver"

/** One endpoint over all runs: this one receives what an earlier one missed. */
const addEndpoint = Effect.fnUntraced(function* ({ tenant }: Caller, { secret, url }: Receiver) {
  const directory = yield* Directory
  const secrets = yield* Secrets
  yield* directory.write({
    workspaces: [],
    apiKeys: [],
    connections: [],
    routing: [],
    webhookEndpoints: [
      {
        id: endpointId,
        ...tenant,
        url: `${url}/webhooks`,
        events: ["*"],
        sealedSecret: yield* secrets
          .seal(Redacted.make(secret), endpointSecretContext(endpointId))
          .pipe(Effect.mapError(keyStorageError("sealing a webhook secret"))),
        active: true
      }
    ]
  })
})

/** Of a webhook's body, in bytes: far more than one has. */
const readAtMost = 1_048_576

/** A merchant's receiver at a loopback port, for as long as the server runs: it verifies, shows, and answers. */
const receive = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const secret = `whsec_${Hex.encode(yield* random.randomBytes(24))}`
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof verifySignature>>>()
  const answer = Effect.fnUntraced(function* (request: IncomingMessage, response: ServerResponse) {
    if (request.method !== "POST") {
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" })
      return response.end("The hosted page sent the customer back here. A shop would show its thank-you page.\n")
    }
    const body = yield* Effect.orElseSucceed(bodyOf(request), () => undefined)
    const header = request.headers[signatureHeader]
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const isOurs =
      body !== undefined &&
      (yield* Effect.isSuccess(
        verifySignature(typeof header === "string" ? header : undefined, [Redacted.make(secret)], body, now)
      ))
    const event = isOurs ? readEvent(new TextDecoder().decode(body)) : Option.none()
    if (Option.isSome(event)) yield* Console.log(eventLine(event.value, undefined))
    response.writeHead(Option.isSome(event) ? 204 : 400).end()
  })
  const server = yield* Effect.acquireRelease(
    listenAnywhere((request, response) => run(Effect.provide(answer(request, response), context))),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, secret } satisfies Receiver
})

const readEvent = Schema.decodeUnknownOption(Schema.fromJsonString(EventShape))

const listenAnywhere = (handle: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.callback<Server, StartFailure>((resume) => {
    const server = createServer(handle)
    server.once("error", () =>
      resume(Effect.fail(new StartFailure({ message: "No free port was found for the sandbox's webhook receiver." })))
    )
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  })

const bodyOf = (request: IncomingMessage) =>
  Effect.tryPromise(async () => {
    const chunks: Array<Buffer> = []
    let length = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.byteLength
      if (length > readAtMost) throw new Error("too long")
      chunks.push(chunk)
    }
    return new Uint8Array(Buffer.concat(chunks))
  })

// ---------------------------------------------------------------------------------------------------------------

/** Tells the other commands of this folder where the server is, for as long as it runs. */
const announce = Effect.fnUntraced(function* (url: string, key: string) {
  const files = yield* FileSystem.FileSystem
  yield* Effect.acquireRelease(
    Effect.mapError(replaceSecretFile(devFile, formatDevFile({ url, key })), fileFailure(devFile, "written")),
    () => Effect.ignore(files.remove(devFile))
  )
})
