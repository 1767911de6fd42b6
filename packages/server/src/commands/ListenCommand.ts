/**
 * `pointsman listen`: events as they happen, and a copy of each to the developer's own server.
 *
 * It follows the events of the API with a key, and signs what it passes on by a secret of its own. It adds no webhook
 * endpoint: that would need the server's database, which another process may hold or which lies elsewhere, a server
 * that sends to private addresses, and an operator to remove the endpoint when this process is killed; the server would
 * retry its deliveries for a day. It does not affect real endpoints.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { signatureHeader } from "@pointsman/core"
import { signatureOf } from "@pointsman/core/internal"
import { Ids } from "@pointsman/core/ports"
import { NodeMac } from "@pointsman/transport-node"
import { Clock, Console, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { CommandFailure } from "./CommandFailure.ts"
import { switchFlag, withHelp } from "./CommandHelp.ts"
import { EventShape, eventDocument, eventLine } from "./EventLine.ts"
import { ask, errorOf, findServer, keyRefused, type LocalServer, NoAnswer, serverFlags } from "./LocalServer.ts"
import { printable } from "./Words.ts"

const readPage = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Array(EventShape), has_more: Schema.Boolean }))

const webAddress = (text: string): boolean => /^https?:$/u.test(URL.parse(text)?.protocol ?? "")

export const listenCommand = Command.make(
  "listen",
  {
    forward: Flag.String("forward").pipe(
      Flag.withMetavar("url"),
      Flag.withDescription(
        "Also send each event to this URL, once, with the signature and headers of a webhook; private " +
          "addresses are allowed"
      ),
      Flag.filter(webAddress, () => "an absolute http or https URL"),
      Flag.optional
    ),
    secret: Flag.String("secret").pipe(
      Flag.withMetavar("whsec_…"),
      Flag.withDescription("Secret that signs forwarded events; default: a generated one, which is printed"),
      Flag.filter(
        (secret) => secret.trim() !== "",
        () => "a non-empty secret"
      ),
      Flag.optional
    ),
    ...serverFlags,
    json: switchFlag("json", "Print one JSON document per line instead of text")
  },
  Effect.fnUntraced(
    function* ({ forward, json, secret: given, ...named }) {
      const server = yield* findServer(named)
      const secret = Option.isSome(given) ? given.value : yield* newSecret
      // Before anything is said: what happens from here on is shown.
      let after = yield* newest(server)
      yield* Console.error(`Listening for events on ${server.url}. Press Ctrl-C to stop.`)
      if (Option.isSome(forward)) {
        yield* Console.error(`Forwarding to ${printable(forward.value)}, signed with ${printable(secret)}`)
      }
      const show = Effect.fnUntraced(function* (event: EventShape) {
        const answered = Option.isNone(forward) ? undefined : yield* pass(forward.value, Redacted.make(secret), event)
        yield* Console.log(json ? JSON.stringify(eventDocument(event, answered)) : eventLine(event, answered))
      })
      let isAway = false
      while (true) {
        const page = yield* Effect.asSome(pageAfter(server, after)).pipe(
          Effect.catchTag("pointsman/server/NoAnswer", ({ message }) =>
            Effect.as(isAway ? Effect.void : Console.error(`${message} Retrying until it responds.`), Option.none())
          )
        )
        // A restarted server continues where it was.
        if (isAway && Option.isSome(page)) yield* Console.error(`${server.url} is reachable again.`)
        isAway = Option.isNone(page)
        if (Option.isNone(page)) {
          yield* Effect.sleep(askAgainAfterMillis)
          continue
        }
        for (const event of page.value.data) {
          yield* show(event)
          after = event.id
        }
        if (!page.value.has_more) yield* Effect.sleep(askEveryMillis)
      }
    },
    Effect.provide([Layer.merge(NodeCrypto.layer, NodeMac.layer), Ids.layer])
  )
).pipe(
  withHelp({
    short: "Show events as they happen, and forward them",
    long:
      "Print the events of a running server as they happen, one per line, with time, type, payment and " +
      "status. With --forward, each event is also sent to your server like a webhook, with the same body " +
      "and headers, signed with a secret that is printed at startup. Changes nothing on the server; " +
      "requires an API key with the scope events:read.",
    examples: {
      "pointsman listen": "With `pointsman dev` running",
      "pointsman listen --forward http://localhost:4000/webhooks": "To your receiver",
      "pointsman listen --url https://pay.example.com --json": "From another server, as JSON"
    }
  })
)

/** Between two questions, in milliseconds: well below what a key may ask. */
const askEveryMillis = 400
const askAgainAfterMillis = 1_000

/** Before all events: the API's cursors are ids, and this is the first of all ids. */
const beforeAll = "evt_00000000-0000-0000-0000-000000000000"

const pageOf = Effect.fnUntraced(function* (server: LocalServer, query: string) {
  const answer = yield* ask(server, "GET", `/events?${query}`)
  const page = readPage(answer.body)
  if (Option.isSome(page)) return page.value
  if (answer.status === 401) return yield* keyRefused(server)
  const message =
    `${server.url} responded with ${answer.status} ` + `${printable(errorOf(answer)?.code ?? "without an error code")}.`
  // A server that has a bad moment is asked again; one that refuses the question would refuse it again.
  return yield* answer.status >= 500 || answer.status === 429
    ? new NoAnswer({ message })
    : new CommandFailure({ message })
})

/** At most 100, the oldest first. */
const pageAfter = (server: LocalServer, after: string) => pageOf(server, `after=${after}&limit=100`)

const newest = (server: LocalServer) =>
  pageOf(server, "limit=1").pipe(
    Effect.map(({ data }) => data[0]?.id ?? beforeAll),
    Effect.catchTag("pointsman/server/NoAnswer", ({ message }) => Effect.fail(new CommandFailure({ message })))
  )

const newSecret = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return `whsec_${Hex.encode(yield* random.randomBytes(24))}`
})

/** How long the developer's server may take, in milliseconds: as long as a webhook may. */
const forwardWithinMillis = 10_000

/** The status of its answer; `null` where none came. Nothing is sent again. */
const pass = Effect.fnUntraced(function* (url: string, secret: Redacted.Redacted<string>, event: EventShape) {
  const body = new TextEncoder().encode(JSON.stringify(event))
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const signature = yield* signatureOf([secret], timestamp, body)
  const deliveryId = yield* (yield* Ids).delivery
  return yield* Effect.tryPromise(async (signal) => {
    const answer = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal,
      headers: {
        "content-type": "application/json",
        [signatureHeader]: signature,
        "x-service-event-id": event.id,
        "x-service-delivery-id": deliveryId
      },
      body
    })
    await answer.body?.cancel()
    return answer.status
  }).pipe(
    Effect.timeout(forwardWithinMillis),
    Effect.orElseSucceed(() => null)
  )
})
