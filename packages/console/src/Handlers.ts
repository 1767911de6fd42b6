/** The endpoints of the API. */
import { type NewSession, Pointsman } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { pageLimits } from "@pointsman/http/api"
import { Effect, Layer, type Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi, type SessionView } from "./api/ConsoleApi.ts"
import { failure } from "./api/Errors.ts"
import { clearCookie, readCookie, setCookie } from "./Cookie.ts"
import { CurrentOperator } from "./CurrentOperator.ts"
import * as Desk from "./Desk.ts"
import { internalError } from "./Failures.ts"
import { ConsoleSettings, RequestSource } from "./Settings.ts"

const refused = failure("sign_in_refused", "The login, the password or the link is wrong, or the link was used.")

const tooMany = (retryAfterMillis: number) => {
  const seconds = Math.max(1, Math.ceil(retryAfterMillis / 1000))
  return HttpServerResponse.jsonUnsafe(
    failure("too_many_sign_ins", `Too many sign-ins were tried. Try again in ${seconds} s.`),
    { status: 429, headers: { "retry-after": String(seconds) } }
  )
}

/** Ends the session that the cookie names, if any: a browser has one. */
export const endFormer = Effect.gen(function* () {
  const { operators } = yield* Pointsman
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const former = readCookie(headers["cookie"], yield* ConsoleSettings)
  if (former !== undefined) yield* operators.signOut(former)
})

const begun = Effect.fnUntraced(function* ({ operator, session, token }: NewSession) {
  const data: SessionView = { login: operator.login, method: session.method }
  return HttpServerResponse.jsonUnsafe(
    { data },
    { headers: { "set-cookie": setCookie(token, yield* ConsoleSettings) } }
  )
})

const entryLayer = HttpApiBuilder.group(
  ConsoleApi,
  "entry",
  Effect.fnUntraced(function* (handlers) {
    const { operators } = yield* Pointsman
    const services = yield* Effect.context<Pointsman | ConsoleSettings>()
    const signIn = (attempt: ReturnType<typeof operators.signInWithPassword>) =>
      attempt.pipe(
        Effect.tap(() => endFormer),
        Effect.flatMap(begun),
        Effect.catchTags({
          "pointsman/SignInRefused": () => Effect.fail(refused),
          "pointsman/TooManySignIns": ({ retryAfterMillis }) => Effect.succeed(tooMany(retryAfterMillis)),
          "pointsman/StorageError": internalError
        }),
        Effect.provideContext(services)
      )
    return handlers
      .handle("signIn", ({ payload }) =>
        Effect.flatMap(RequestSource, (source) => signIn(operators.signInWithPassword({ ...payload, source })))
      )
      .handle("signInByLink", ({ payload }) =>
        Effect.flatMap(RequestSource, (source) => signIn(operators.signInWithLink(payload.token, source)))
      )
      .handle("signOut", () =>
        endFormer.pipe(
          Effect.andThen(ConsoleSettings),
          Effect.map((settings) =>
            HttpServerResponse.empty({ status: 204, headers: { "set-cookie": clearCookie(settings) } })
          ),
          Effect.catch(internalError),
          Effect.provideContext(services)
        )
      )
  })
)

const deskLayer = HttpApiBuilder.group(
  ConsoleApi,
  "desk",
  Effect.fnUntraced(function* (handlers) {
    const { operators } = yield* Pointsman
    const views = yield* InProcess.PaymentViews
    const services = yield* Effect.context<Desk.DeskServices | ConsoleSettings>()
    const shown = Effect.fnUntraced(function* ({ payment }: Desk.Answered) {
      return { data: yield* views.payment(payment, false) }
    })
    return handlers
      .handle("me", () => Effect.map(Desk.me, (data) => ({ data })).pipe(Effect.provideContext(services)))
      .handle("signOutEverywhere", () =>
        Effect.flatMap(CurrentOperator, ({ operator }) => operators.signOutEverywhere(operator)).pipe(
          Effect.andThen(ConsoleSettings),
          Effect.map((settings) =>
            HttpServerResponse.empty({ status: 204, headers: { "set-cookie": clearCookie(settings) } })
          ),
          Effect.catch(internalError),
          Effect.provideContext(services)
        )
      )
      .handle("setPassword", ({ payload }) => setPassword(payload).pipe(Effect.provideContext(services)))
      .handle(
        "payments",
        Effect.fnUntraced(function* ({ params, query: { before, limit = pageLimits.default, ...filter } }) {
          const page = yield* Desk.payments(params, { ...InProcess.filterOf(filter), before, limit })
          const data = yield* Effect.forEach(page.items, (payment) => views.payment(payment, false))
          return { data, has_more: page.hasMore, next_cursor: page.hasMore ? (data.at(-1)?.id ?? null) : null }
        }, Effect.provideContext(services))
      )
      .handle("payment", ({ params }) =>
        Effect.map(Desk.paymentFile(params), ({ view }) => ({ data: view })).pipe(Effect.provideContext(services))
      )
      .handle(
        "capture",
        ({ headers, params, payload: { amount = null } }) =>
          Desk.capture(params, { amountMinor: amount, idempotencyKey: headers["idempotency-key"] }).pipe(
            Effect.flatMap(shown),
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
      .handle(
        "void",
        ({ headers, params }) =>
          Desk.voidPayment(params, { amountMinor: null, idempotencyKey: headers["idempotency-key"] }).pipe(
            Effect.flatMap(shown),
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
      .handle(
        "refund",
        Effect.fnUntraced(function* ({ headers, params, payload }) {
          const { amount = null, reason = null } = yield* Desk.checkedRefund(payload)
          const order = { amountMinor: amount, reason, idempotencyKey: headers["idempotency-key"] }
          return yield* Effect.flatMap(Desk.refund(params, order), shown)
        }, Effect.provideContext(services)),
        { uninterruptible: true }
      )
  })
)

const setPassword = Effect.fnUntraced(function* (payload: {
  readonly current?: Redacted.Redacted<string>
  readonly password: Redacted.Redacted<string>
}) {
  const { operators } = yield* Pointsman
  const signedIn = yield* CurrentOperator
  const order = { current: payload.current ?? null, password: payload.password, source: yield* RequestSource }
  return yield* operators.setPassword(signedIn, order).pipe(
    Effect.flatMap(begun),
    Effect.catchTags({
      "pointsman/OperatorInvalid": ({ expected, field }) =>
        Effect.fail(failure("validation_error", `\`${field}\` must be ${expected}.`)),
      "pointsman/PasswordRefused": () =>
        Effect.fail(failure("password_refused", "The current password is needed, and is missing or wrong.")),
      "pointsman/TooManySignIns": ({ retryAfterMillis }) => Effect.succeed(tooMany(retryAfterMillis)),
      "pointsman/SignInRefused": operatorChanged,
      "pointsman/OperatorNotFound": operatorChanged,
      "pointsman/OperatorChanged": operatorChanged,
      "pointsman/StorageError": internalError
    })
  )
})

const operatorChanged = () =>
  Effect.fail(failure("operator_changed", "The operator was changed or removed at the same time."))

export const layer = Layer.merge(entryLayer, deskLayer)
