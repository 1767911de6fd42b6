/**
 * The methods of `Pointsman` over core's services. Once asked, a call runs to its end: a promise has nobody who could cut
 * it. What it fails with is said as the API says it.
 */
import * as Core from "@pointsman/core"
import type * as Ports from "@pointsman/core/ports"
import { Directory } from "@pointsman/core/ports"
import { errorBodyOf, type FailureOf, InProcess, type Operation } from "@pointsman/http"
import { Cause, Effect, Exit, Option } from "effect"
import { errorOf } from "./ErrorOf.ts"
import type { Gate } from "./Gate.ts"
import {
  apiKeyFields,
  captureFields,
  checkId,
  checkOptions,
  checkStatement,
  createFields,
  deliveriesQuery,
  eventsQuery,
  type Options,
  paymentsQuery,
  refundFields,
  reviewCursor,
  reviewsQuery,
  timelineQuery,
  wrong
} from "./Orders.ts"
import type { Environment, Payment } from "./Payment.ts"
import type { Pointsman } from "./Pointsman.ts"
import {
  ClosedError,
  InternalError,
  NotFoundError,
  type PointsmanError,
  StateError,
  type UnknownResultCode,
  UnknownResultError,
  ValidationError
} from "./PointsmanError.ts"
import type { ReviewedPayment } from "./Records.ts"
import {
  apiKeyView,
  attemptView,
  circuitView,
  deliveryAttemptView,
  deliveryView,
  fileView,
  rateView,
  reviewedView
} from "./Views.ts"

/** What calls are about unless they say otherwise. */
export interface Defaults {
  readonly workspace: string | undefined
  readonly environment: Environment | undefined
}

export type Calls = Omit<Pointsman, "handler" | "listener" | "close" | typeof Symbol.asyncDispose>

export type Services = Core.Pointsman | Directory | InProcess.PaymentViews

/** Runs an effect with everything that the calls need. */
export type Run = <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<Exit.Exit<A, E>>

export const makeCalls = (run: Run, gate: Gate, defaults: Defaults): Calls => {
  const call = async <A>(effect: Effect.Effect<A, PointsmanError, Services>, moves?: MovesMoney): Promise<A> => {
    const isMaybeAgain = moves?.isMaybeAgain ?? false
    const leave = gate.enter()
    if (leave === undefined) throw new ClosedError("This Pointsman instance is closed. Nothing was done.", isMaybeAgain)
    try {
      const exit = await run(
        Effect.tapCause(effect, (cause) =>
          Cause.hasDies(cause) ? Effect.logError("unexpected failure of a call", cause) : Effect.void
        )
      )
      if (Exit.isSuccess(exit)) return exit.value
      const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      if (failure !== undefined) throw isMaybeAgain ? ofSecondTry(failure) : failure
      throw moves === undefined ? brokeDown() : mayHaveMoved(moves.unknown)
    } finally {
      leave()
    }
  }

  const tenantOf = Effect.fnUntraced(function* (options: Options) {
    const workspaceId = options.workspace ?? defaults.workspace
    const environment = options.environment ?? defaults.environment
    if (workspaceId === undefined) {
      return yield* Effect.fail(wrong("`workspace` is required: more than one workspace, or none, is configured."))
    }
    if (environment === undefined) {
      return yield* Effect.fail(
        wrong("`environment` is required, here or in `createPointsman`: sandbox or production.")
      )
    }
    return { workspaceId, environment } satisfies Core.Tenant
  })

  /** Refused like a key of that workspace. */
  const workspaceOf = Effect.fnUntraced(function* (id: string) {
    const directory = yield* Directory
    const found = yield* fromStore(directory.workspace(id))
    if (Option.isNone(found))
      return yield* Effect.fail(wrong(`\`workspace\` must be a configured workspace; "${id}" not found.`))
    if (found.value.suspended) return yield* Effect.fail(errorOf(InProcess.suspended))
    return found.value
  })

  const callerOf = Effect.fnUntraced(function* (options: Options) {
    const tenant = yield* tenantOf(options)
    return { tenant, workspace: yield* workspaceOf(tenant.workspaceId) } satisfies Core.Caller
  })

  const readerOf = Effect.fnUntraced(function* (options: unknown) {
    const { tenant } = yield* callerOf(yield* checkOptions(options, false))
    return tenant
  })

  const answered = Effect.fnUntraced(function* ({ isReplay, payment }: Core.Answered) {
    const views = yield* InProcess.PaymentViews
    return { payment: asPayment(yield* views.payment(payment)), isReplay }
  })

  const reviewed = (payment: Core.Payment) =>
    Effect.flatMap(InProcess.PaymentViews, (views) =>
      Effect.map(views.payment(payment), (view) => reviewedView(payment, asPayment(view)))
    )

  const filed = (file: Core.PaymentFile) =>
    Effect.flatMap(InProcess.PaymentViews, (views) =>
      Effect.map(views.payment(file.payment), (view) => fileView(file, asPayment(view)))
    )

  return {
    create: (order, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const views = yield* InProcess.PaymentViews
          const given = yield* checkOptions(options, true)
          const caller = yield* callerOf(given)
          const { environment } = caller.tenant
          if (given.idempotencyKey === null && environment === "production") {
            return yield* Effect.fail(
              new ValidationError(
                "idempotency_key_required",
                "`idempotencyKey` is required to create a payment in production."
              )
            )
          }
          const fields = yield* createFields(order)
          const request = yield* Effect.mapError(
            InProcess.decodeCreate(fields, environment, given.idempotencyKey, views.hasPages),
            errorOf
          )
          const { isReplay, payment } = yield* pointsman.create(caller, request).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) => {
              const body = errorBodyOf("create", failure)
              return failure._tag === "pointsman/RoutingFailed"
                ? errorOf({ error: { ...body.error, excluded: failure.excluded.map(InProcess.exclusionView) } })
                : errorOf(body)
            })
          )
          return { payment: asPayment(yield* views.created(payment, request.debug)), isReplay }
        }),
        // Without a key, every call is a payment of its own.
        { unknown: "payment_result_unknown", isMaybeAgain: options?.idempotencyKey !== undefined }
      ),
    capture: (paymentId, order, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const given = yield* checkOptions(options, true)
          const caller = yield* callerOf(given)
          const id = yield* checkId("paymentId", paymentId)
          const { amount = null } = yield* Effect.mapError(
            InProcess.decodeCapture(yield* captureFields(order)),
            errorOf
          )
          return yield* pointsman
            .capture(caller, { paymentId: id, amountMinor: amount, idempotencyKey: given.idempotencyKey })
            .pipe(
              Effect.tapError(told),
              Effect.mapError((failure) => refusalOf("capture", failure)),
              Effect.flatMap(answered)
            )
        }),
        { unknown: "capture_result_unknown", isMaybeAgain: true }
      ),
    void: (paymentId, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const given = yield* checkOptions(options, true)
          const caller = yield* callerOf(given)
          const id = yield* checkId("paymentId", paymentId)
          return yield* pointsman.void(caller, { paymentId: id, idempotencyKey: given.idempotencyKey }).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) => refusalOf("void", failure)),
            Effect.flatMap(answered)
          )
        }),
        { unknown: "void_result_unknown", isMaybeAgain: true }
      ),
    refund: (paymentId, order, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const given = yield* checkOptions(options, true)
          const caller = yield* callerOf(given)
          const id = yield* checkId("paymentId", paymentId)
          const { amount = null, reason = null } = yield* Effect.mapError(
            InProcess.decodeRefund(yield* refundFields(order)),
            errorOf
          )
          return yield* pointsman
            .refund(caller, { paymentId: id, amountMinor: amount, reason, idempotencyKey: given.idempotencyKey })
            .pipe(
              Effect.tapError(told),
              Effect.mapError((failure) => refusalOf("refund", failure)),
              Effect.flatMap(answered)
            )
        }),
        { unknown: "refund_result_unknown", isMaybeAgain: true }
      ),

    payment: (paymentId, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const views = yield* InProcess.PaymentViews
          const tenant = yield* readerOf(options)
          const found = yield* pointsman.payment(tenant, yield* checkId("paymentId", paymentId)).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) => errorOf(errorBodyOf("payment", failure)))
          )
          return asPayment(yield* views.payment(found))
        })
      ),
    payments: (query, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const views = yield* InProcess.PaymentViews
          const tenant = yield* readerOf(options)
          const page = yield* pointsman.payments(tenant, yield* paymentsQuery(query)).pipe(fromStore)
          const items = yield* Effect.forEach(page.items, views.payment)
          return InProcess.pageView({ items, hasMore: page.hasMore }, asPayment)
        })
      ),
    timeline: (paymentId, query, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const tenant = yield* readerOf(options)
          const id = yield* checkId("paymentId", paymentId)
          const page = yield* pointsman.timeline(tenant, id, yield* timelineQuery(query)).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) => errorOf(errorBodyOf("timeline", failure)))
          )
          return InProcess.pageView(page, InProcess.eventView)
        })
      ),
    events: (query, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const tenant = yield* readerOf(options)
          const page = yield* pointsman.events(tenant, yield* eventsQuery(query)).pipe(fromStore)
          return InProcess.pageView(page, InProcess.eventView)
        })
      ),
    explainRouting: (paymentId, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const views = yield* InProcess.PaymentViews
          const tenant = yield* readerOf(options)
          const explained = yield* pointsman.explainRouting(tenant, yield* checkId("paymentId", paymentId)).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) => errorOf(errorBodyOf("payment", failure)))
          )
          return {
            payment: asPayment(yield* views.payment(explained.payment)),
            attempts: explained.attempts.map(attemptView),
            chapters: explained.chapters
          }
        })
      ),
    paymentFile: (paymentId, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const tenant = yield* readerOf(options)
          return yield* pointsman.paymentFile(tenant, yield* checkId("paymentId", paymentId)).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) => errorOf(errorBodyOf("payment", failure))),
            Effect.flatMap(filed)
          )
        })
      ),

    reviews: (query, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const given = yield* checkOptions(options, false)
          const isOfAll = given.workspace === undefined && given.environment === undefined
          const tenant = isOfAll ? undefined : yield* tenantOf(given)
          const page = yield* pointsman.reviews({ tenant, ...(yield* reviewsQuery(query)) }).pipe(fromStore)
          const data: ReadonlyArray<ReviewedPayment> = yield* Effect.forEach(page.items, reviewed)
          const last = page.items.at(-1)
          return {
            data,
            has_more: page.hasMore,
            next_cursor:
              page.hasMore && last !== undefined ? reviewCursor(last.review?.since ?? last.createdAt, last.id) : null
          }
        })
      ),
    reviewOf: (paymentId) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          return yield* pointsman.reviewOf(yield* checkId("paymentId", paymentId)).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) =>
              failure._tag === "pointsman/StorageError"
                ? storeFailed()
                : new NotFoundError("The payment is not under review.")
            ),
            Effect.flatMap(filed)
          )
        })
      ),
    settleReview: (paymentId, stated, evidence, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const views = yield* InProcess.PaymentViews
          const tenant = yield* readerOf(options)
          const { by, evidence: seen } = evidence ?? {}
          if (typeof seen !== "string" || typeof by !== "string") {
            return yield* Effect.fail(wrong("`evidence` must be {evidence, by}: what was seen, and who saw it."))
          }
          const settled = yield* pointsman
            .settleReview({
              tenant,
              paymentId: yield* checkId("paymentId", paymentId),
              stated: yield* checkStatement(stated),
              evidence: seen,
              by
            })
            .pipe(
              Effect.tapError(told),
              Effect.mapError((failure) => {
                switch (failure._tag) {
                  case "pointsman/PaymentNotFound":
                    return errorOf(errorBodyOf("payment", failure))
                  case "pointsman/StatementRefused":
                    return new StateError(
                      "statement_refused",
                      `\`${failure.field}\`: ${failure.reason}. Nothing was written.`
                    )
                  case "pointsman/StorageError":
                    return new InternalError(
                      "The statement may have been recorded. Read the payment before you settle it again."
                    )
                }
              })
            )
          return asPayment(yield* views.payment(settled))
        })
      ),

    deliveries: (query, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const tenant = yield* readerOf(options)
          const page = yield* pointsman.deliveries(tenant, yield* deliveriesQuery(query)).pipe(fromStore)
          return InProcess.pageView(page, deliveryView)
        })
      ),
    deliveryAttempts: (deliveryId, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const tenant = yield* readerOf(options)
          const attempts = yield* pointsman.deliveryAttempts(tenant, yield* checkId("deliveryId", deliveryId)).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) => (failure._tag === "pointsman/StorageError" ? storeFailed() : noSuchDelivery()))
          )
          return attempts.map(deliveryAttemptView)
        })
      ),
    redeliver: (deliveryId, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const tenant = yield* readerOf(options)
          return yield* pointsman.redeliver(tenant, yield* checkId("deliveryId", deliveryId)).pipe(
            Effect.tapError(told),
            Effect.mapBoth({
              onFailure: (failure) => {
                switch (failure._tag) {
                  case "pointsman/DeliveryNotFound":
                    return noSuchDelivery()
                  case "pointsman/NotRedeliverable":
                    return new StateError("not_redeliverable", "The delivery is still in progress, or has succeeded.")
                  case "pointsman/StorageError":
                    return new InternalError("The delivery may have been scheduled. Read its status.")
                }
              },
              onSuccess: deliveryView
            })
          )
        })
      ),

    successRates: (options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const rates = yield* fromStore(pointsman.successRates(yield* readerOf(options)))
          return rates.map(rateView)
        })
      ),
    circuits: () =>
      call(
        Effect.flatMap(Core.Pointsman, (pointsman) => Effect.map(pointsman.circuits, (all) => all.map(circuitView)))
      ),
    usage: (period, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const { workspace = defaults.workspace } = yield* checkOptions(options, false)
          if (workspace === undefined) return yield* Effect.fail(wrong("`workspace` is required."))
          const [from, until] = [period?.from, period?.until].map((time) =>
            time instanceof Date ? time.getTime() : Number.NaN
          )
          if (from === undefined || until === undefined || Number.isNaN(from + until)) {
            return yield* Effect.fail(wrong("`from` and `until` must be dates."))
          }
          return yield* fromStore(pointsman.usage({ workspaceId: workspace, from, until }))
        })
      ),

    createApiKey: (order, options) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          const tenant = yield* readerOf(options)
          // A misspelled field would make a key for everything.
          const { scopes } = yield* apiKeyFields(order)
          if (scopes !== undefined && !areScopes(scopes)) {
            return yield* Effect.fail(wrong(`\`scopes\` must be a list of ${Core.scopes.join(", ")}.`))
          }
          return yield* pointsman.createApiKey(tenant, scopes ?? null).pipe(
            Effect.tapError(told),
            Effect.mapBoth({
              onFailure: (failure) =>
                failure._tag === "pointsman/StorageError"
                  ? new InternalError("An unused key may have been stored. Create another key.")
                  : new NotFoundError("Workspace not found."),
              onSuccess: apiKeyView
            })
          )
        })
      ),
    revokeApiKey: (hash) =>
      call(
        Effect.gen(function* () {
          const pointsman = yield* Core.Pointsman
          yield* pointsman.revokeApiKey(yield* checkId("hash", hash)).pipe(
            Effect.tapError(told),
            Effect.mapError((failure) =>
              failure._tag === "pointsman/StorageError"
                ? new InternalError("The key may have been revoked. Revoke it again.")
                : new NotFoundError("API key not found.")
            )
          )
        })
      ),

    checkDue: () => call(Effect.flatMap(Core.Pointsman, (pointsman) => fromStore(pointsman.checkDue)))
  }
}

const areScopes = (scopes: unknown): scopes is ReadonlyArray<Core.Scope> =>
  Array.isArray(scopes) && scopes.every((scope) => Core.scopes.includes(scope))

/** The API's payment is this package's: a field that differs does not compile. */
const asPayment = (payment: Effect.Success<ReturnType<InProcess.PaymentViews["Service"]["payment"]>>): Payment =>
  payment

const storeFailed = (): PointsmanError =>
  new InternalError("The database could not be read or written. Nothing was changed; the call may be repeated.")

/** What fails for nothing but its store. */
const fromStore = <A, R>(effect: Effect.Effect<A, Ports.StorageError, R>): Effect.Effect<A, PointsmanError, R> =>
  effect.pipe(Effect.tapError(told), Effect.mapError(storeFailed))

const noSuchDelivery = (): PointsmanError => new NotFoundError("Delivery not found.")

const brokeDown = (): PointsmanError => new InternalError("The call failed unexpectedly.")

/** A call that a provider is asked for. */
interface MovesMoney {
  /** What it is answered when it broke down in the middle. */
  readonly unknown: UnknownResultCode
  /** Whether the same may have been called before, and not been answered: a refusal of now says nothing of then. */
  readonly isMaybeAgain: boolean
}

const ofSecondTry = (failure: PointsmanError): PointsmanError => {
  if (failure instanceof InternalError) return new InternalError(failure.message, true)
  return failure instanceof StateError ? new StateError(failure.code, failure.message, true) : failure
}

/** It is unknown how far a call had come when it failed. */
const mayHaveMoved = (code: UnknownResultCode): PointsmanError =>
  new UnknownResultError(
    code,
    "The call failed unexpectedly, and a request may have been sent to a provider. Read the payment, or " +
      "repeat the call with the same idempotency key, never with another one."
  )

const refusalOf = <O extends Extract<Operation, "capture" | "void" | "refund">>(
  operation: O,
  failure: FailureOf<O> & Parameters<typeof InProcess.messageOf>[0]
): PointsmanError => {
  const { error } = errorBodyOf(operation, failure)
  return errorOf({ error: { ...error, message: InProcess.messageOf(failure, error.message) } })
}

/** For the log: what a caller must not see of a failure. */
const told = (failure: { readonly _tag: string; readonly cause?: unknown }): Effect.Effect<void> =>
  failure.cause === undefined ? Effect.void : Effect.logError(failure._tag, Cause.die(failure.cause))
