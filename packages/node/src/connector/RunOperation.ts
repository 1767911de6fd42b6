/**
 * Runs one operation of a connector that is written in plain functions.
 *
 * `NotSent` lets another connection be tried, so it is believed of our own
 * transport alone, and only where every call of the operation ended so. Everything else that a function throws leaves the
 * result unknown.
 */
import {
  type Clean,
  NotSent as CoreNotSent,
  Unanswered as CoreUnanswered,
  type Transport,
  type TransportRequest
} from "@pointsman/core/connector"
import { Clock, Context, Effect, Result } from "effect"
import { type Http, type HttpRequest, NotSent, Unanswered } from "./ConnectorSpec.ts"
import type { Read } from "./Results.ts"

/** How long a function may take to return after the time of its calls is over, in milliseconds. */
const returnWithinMillis = 1_000

export interface Operation<A> {
  /** For the reason of an unknown result: the connector and the function. */
  readonly name: string
  readonly timeoutMillis: number
  readonly transport: Transport["Service"]
  readonly clean: Clean
  readonly run: (http: Http) => unknown
  readonly read: (value: unknown, clean: Clean) => Read<A>
}

/** The calls of one operation. */
interface Calls {
  begun: number
  notSent: number
  answered: number
}

/** Calls that may have been executed, and whose answer the function did not have: not answered, or still under way. */
const openOf = ({ answered, begun, notSent }: Calls): number => begun - notSent - answered

/** A request that went out is not cancelled by an interruption. */
export const runOperation = <A>({
  clean,
  name,
  read,
  run,
  timeoutMillis,
  transport
}: Operation<A>): Effect.Effect<A, CoreNotSent | CoreUnanswered> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const services = yield* Effect.context<never>()
      const calls: Calls = { begun: 0, notSent: 0, answered: 0 }
      const endsAt = (yield* Clock.currentTimeMillis) + timeoutMillis
      const http = makeHttp(transport, services, calls, endsAt)
      const ended = yield* Effect.result(promised(services, timeoutMillis + returnWithinMillis, () => run(http)))
      const unknown = (reason: string) => new CoreUnanswered({ reason: clean(`${name} ${reason}`) })
      if (Result.isFailure(ended)) {
        const thrown = ended.failure
        const isNotSent = thrown instanceof NotSent && calls.begun > 0 && calls.notSent === calls.begun
        if (isNotSent) return yield* new CoreNotSent({ reason: clean(thrown.message) })
        return yield* unknown(thrown instanceof Unanswered ? `was not answered: ${thrown.message}` : failed(thrown))
      }
      if (isKeyUsed(ended.success)) {
        return yield* new CoreUnanswered({
          reason: `${name}: the provider had the idempotency key before`,
          isKeyUsed: true
        })
      }
      const result = read(ended.success, clean)
      if (Result.isFailure(result)) return yield* unknown(`returned what is no result${at(result.failure)}`)
      // The function may have caught what a call rejected with, or not have waited: that request may have been executed.
      if (openOf(calls) > 0 && letsAnotherCharge(result.success)) {
        return yield* unknown("returned `rejected` or a soft decline although a call was not answered")
      }
      return believed(result.success, calls)
    })
  )

const at = (field: string): string => (field === "" ? "" : ` at ${field}`)

const isKeyUsed = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "status" in value && value.status === "key_used"

const isTagged = (value: unknown, tag: string): value is object =>
  typeof value === "object" && value !== null && "_tag" in value && value._tag === tag

/** Whether another connection may be tried after this result. */
const letsAnotherCharge = (value: unknown): boolean =>
  isTagged(value, "Rejected") || (isTagged(value, "Declined") && "soft" in value && value.soft === true)

/** "Never received" is the provider's word: it does not count where a call is open, or where no call was answered. */
const believed = <A>(result: A, calls: Calls): A => {
  const isDoubtful = openOf(calls) > 0 || (calls.begun > 0 && calls.answered === 0)
  return isDoubtful && isTagged(result, "NotFound") ? { ...result, conclusive: false } : result
}

/** The text of an error of others may show what they were given. */
const failed = (thrown: unknown): string => `threw ${thrown instanceof Error ? thrown.name : "what is no error"}`

/** The work of a function, for so long. A function that never returns keeps running, and its result is ignored. */
const promised = (
  services: Context.Context<never>,
  millis: number,
  work: () => unknown
): Effect.Effect<unknown, unknown> =>
  Effect.callback<unknown, unknown>((resume) => {
    const timer = Effect.runForkWith(services)(Effect.sleep(millis))
    let isOver = false
    const end = (exit: Effect.Effect<unknown, unknown>) => {
      if (isOver) return
      isOver = true
      timer.interruptUnsafe()
      resume(exit)
    }
    timer.addObserver(() => end(Effect.fail(new Unanswered("its time is over"))))
    void new Promise((resolve) => resolve(work())).then(
      (value) => end(Effect.succeed(value)),
      (thrown: unknown) => end(Effect.fail(thrown))
    )
  })

const makeHttp = (
  transport: Transport["Service"],
  services: Context.Context<never>,
  calls: Calls,
  endsAt: number
): Http => {
  const clock = Context.get(services, Clock.Clock)
  const ask =
    (method: TransportRequest["method"]) =>
    async (url: string, request: HttpRequest = {}) => {
      calls.begun++
      const timeoutMillis = endsAt - clock.currentTimeMillisUnsafe()
      if (timeoutMillis < 1) {
        calls.notSent++
        throw new NotSent("the time of the operation was over before the call began")
      }
      const sent = transport.send({ method, url, ...contentOf(request), timeoutMillis })
      const answer = await Effect.runPromiseWith(services)(Effect.result(sent))
      if (Result.isSuccess(answer)) {
        calls.answered++
        const { body, headers, status } = answer.success
        return { status, headers, body, json: (): unknown => JSON.parse(body) }
      }
      const { failure } = answer
      if (failure._tag === "pointsman/NotSent") {
        calls.notSent++
        throw new NotSent(failure.reason)
      }
      throw new Unanswered(failure.reason)
    }
  return { get: ask("GET"), post: ask("POST"), put: ask("PUT"), patch: ask("PATCH"), delete: ask("DELETE") }
}

const contentOf = ({ body, form, headers = {}, json }: HttpRequest): Pick<TransportRequest, "headers" | "body"> => {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (json !== undefined) {
    return { headers: { "content-type": "application/json", ...given }, body: JSON.stringify(json) }
  }
  if (form !== undefined) {
    const type = "application/x-www-form-urlencoded"
    return { headers: { "content-type": type, ...given }, body: new URLSearchParams(form).toString() }
  }
  return body === undefined ? { headers: given } : { headers: given, body }
}
