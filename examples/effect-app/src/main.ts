/** A shop that serves its own routes and Pointsman's API from one HTTP server, over one SQLite file. */
import { createServer } from "node:http"
// The modules one by one: their common door loads clients of databases that a shop on SQLite has no use for.
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { longestCallsMillis } from "@pointsman/configuration"
import { SandboxConnector, SandboxRecords } from "@pointsman/connector-sandbox"
import { apiKeyEntropyBytes, formatApiKey, Pointsman, SecretsLayer } from "@pointsman/core"
import { Connectors, Directory, Ids } from "@pointsman/core/ports"
import * as PointsmanHttp from "@pointsman/http"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import * as NodeTransport from "@pointsman/transport-node"
import { Cause, Console, Effect, Exit, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import * as Checkout from "./Checkout.ts"
import { Orders } from "./Orders.ts"
import { type Settings, settings } from "./Settings.ts"
import * as Workspace from "./Workspace.ts"

/** Everything that Pointsman asks of the outside. */
const outside = ({ database, encryptionKey }: Settings) =>
  Layer.mergeAll(
    SecretsLayer.layerRotating(Effect.succeed({ current: encryptionKey, previous: [] })).pipe(
      Layer.provideMerge(SqliteStorage.layer({ filename: database }))
    ),
    NodeTransport.layer(),
    NodeTransport.NodeWebhookSender.layer({ allowPrivate: false }),
    Layer.effect(
      Connectors,
      Effect.map(SandboxRecords.file(`${database}.sandbox-records`), (records) =>
        Connectors.make([SandboxConnector.make(records)])
      )
    )
  ).pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(Layer.merge(NodeCrypto.layer, NodeTransport.NodeMac.layer)))

/** The shop's route, the v1 API beside it, and the background jobs that settle unknown results. */
const routes = Layer.mergeAll(
  PointsmanHttp.layer({ paths: { [Checkout.path]: ["POST"] } }),
  Checkout.layer,
  Pointsman.background()
)

/** What a request may take besides its provider calls, in milliseconds. */
const answerWithinMillis = 5_000

/**
 * Listens once the configuration is applied. When it ends, it takes no more requests and waits for those under way, for as
 * long as their providers may take; then the background ends, and then the storage.
 */
const server = ({ port }: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const contents = yield* (yield* Directory).contents
      const gracefulShutdownTimeout = longestCallsMillis(contents, Workspace.providerTimeoutMillis) + answerWithinMillis
      return NodeHttpServer.layer(createServer, { host: "127.0.0.1", port, gracefulShutdownTimeout })
    })
  )

const apiKeyOf = Effect.fnUntraced(function* ({ apiKey }: Settings) {
  if (Option.isSome(apiKey)) return apiKey.value
  const random = yield* SecureRandom.SecureRandom
  const made = formatApiKey("sandbox", yield* random.randomBytes(apiKeyEntropyBytes))
  yield* Console.log(`API key for this run: ${made}`)
  return Redacted.make(made)
})

const shop = Effect.gen(function* () {
  const given = yield* settings
  const workspace = Layer.unwrap(Effect.map(apiKeyOf(given), Workspace.layer))
  const { claimWindowMillis, providerTimeoutMillis } = Workspace
  // `disableLogger`: the default logger writes a line for every request, and costs more than the request.
  const serving = HttpRouter.serve(routes, { disableLogger: true }).pipe(
    Layer.provide(server(given)),
    Layer.provide([workspace, Orders.layer]),
    Layer.provide(Pointsman.layer({ claimWindowMillis, providerTimeoutMillis })),
    Layer.provide(outside(given))
  )
  return yield* Layer.launch(serving)
})

/** A signal ends the shop by interrupting it, once all is answered: that is a success. */
const teardown = (exit: Exit.Exit<unknown, unknown>, end: (code: number) => void): void =>
  end(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)

const tellWhy = (cause: Cause.Cause<{ readonly message: string }>) => {
  const failure = Cause.squash(cause)
  return Console.error(`The shop ended: ${failure instanceof Error ? failure.message : String(failure)}`)
}

shop.pipe(
  Effect.tapCauseIf((cause) => !Cause.hasInterruptsOnly(cause), tellWhy),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown })
)
