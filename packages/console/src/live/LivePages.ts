/** Changes as server-sent events (HTML standard, section 9.2): a message says that there is something new to read. */
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { internalError } from "../api/Errors.ts"
import { page, tenantOf, type Visit } from "../frame/Page.ts"
import { callerOf } from "../gate/Caller.ts"
import { openResponse } from "../gate/OpenResponses.ts"
import { sessionEnd } from "../gate/SessionEnd.ts"
import { TenantChanges } from "./TenantChanges.ts"

/** Well below the minute after which proxies close a connection on which nothing is sent. */
const heartbeatEvery = "15 seconds"
/** How soon a browser connects again, in milliseconds. */
const reconnectMillis = 3_000

const changes = Effect.fnUntraced(function* (visit: Visit) {
  const { tenant } = yield* callerOf(yield* tenantOf(visit))
  yield* openResponse("changes")
  const { follow } = yield* TenantChanges
  const changed = yield* Effect.catch(follow(tenant, visit.query.get("payment") ?? undefined), internalError)
  const services = yield* Effect.context<Effect.Services<typeof end>>()
  const messages = Stream.make(`retry: ${reconnectMillis}\n\n`).pipe(
    Stream.concat(
      Stream.merge(
        Stream.map(Stream.fromQueue(changed), () => "data: changed\n\n"),
        // A client that went away without a word is noticed by a comment.
        Stream.map(Stream.tick(heartbeatEvery), () => ":\n\n")
      )
    ),
    Stream.interruptWhen(end),
    Stream.encodeText,
    Stream.provideContext(services)
  )
  return HttpServerResponse.stream(messages, {
    contentType: "text/event-stream",
    // For proxies that would keep messages until there are more of them.
    headers: { "x-accel-buffering": "no" }
  })
})

const end = sessionEnd("payment.read")

export const livePages = [page("GET", "/live/:workspace/:environment", "payment.read", changes)]
