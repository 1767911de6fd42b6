/**
 * The pages that customers pay on, outside the API: `/hosted/{token}` and, for a provider's checkout to send its
 * customers back to, `/hosted/{token}/return`.
 *
 * A GET changes nothing, since chat programs and scanners fetch every link: actions are POSTs. Anyone who has the
 * token may act. It is the only secret, so a form of another site that knows it is not refused because of its origin.
 */
import { type HostedFailure, type HostedView, Pointsman } from "@pointsman/core"
import { leadsToProvider } from "@pointsman/core/internal"
import { ByteSize, Cause, Effect } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Source } from "../AuthorizeRequest.ts"
import { hostedPageUrl } from "../PaymentView.ts"
import { FailureLimit } from "../RateLimit.ts"
import { RequestId, report } from "../Report.ts"
import { commonHeaders, type Document, makeRenderer, type Renderer } from "./Document.ts"
import { formBytesAtMost, type Pressed, pressedOf } from "./HostedForm.ts"
import { html } from "./Html.ts"
import { returnAddress } from "./Outcomes.ts"
import {
  buttonsPage,
  challengePage,
  checkoutPage,
  closedPage,
  expiredPage,
  type LookAgain,
  plainPage,
  resultPage,
  type Subject,
  subjectOf,
  unpaidPage
} from "./Pages.ts"
import { type Reader, readerOf } from "./Reader.ts"
import { isOpenEnded, screenOf } from "./Screen.ts"
import { around } from "./texts/Texts.ts"

type Request = HttpServerRequest.HttpServerRequest

/** What a page is asked for. */
interface Visit {
  readonly request: Request
  readonly token: string
  /** The step of the challenge is asked for. */
  readonly isChallenge: boolean
  /** How many times the page was looked at again. */
  readonly looks: number
  /** The payment's own page, as seen from the one that is asked for. */
  readonly self: string
}

type Answer = Document | { readonly redirect: string }

/** What answers each of the routes. `baseUrl` is where the pages are reached from outside. */
export const makeHandlers = Effect.fnUntraced(function* (baseUrl: string) {
  const pointsman = yield* Pointsman
  const render = yield* makeRenderer
  const failures = yield* FailureLimit
  const sourceOf = yield* Source
  const isHttpServer = /^http:/iu.test(baseUrl)

  const subject = ({ request, self }: Visit, view: HostedView) =>
    subjectOf(view, { reader: readerOfRequest(request, view.payment.purchase?.locale), self, isHttpServer })

  /** Who guesses tokens is slowed down; a visit with a right token is never refused for it. */
  const refuse =
    (visit: Visit, reader = readerOfRequest(visit.request)) =>
    (failure: HostedFailure) =>
      failure._tag === "pointsman/PageNotFound"
        ? Effect.matchEffect(failures.count("page", sourceOf(visit.request)), {
            onSuccess: () => refusalOf(reader, failure),
            onFailure: ({ retryAfterMillis }) => Effect.succeed(tooMany(reader, retryAfterMillis))
          })
        : refusalOf(reader, failure)

  const show = (visit: Visit) =>
    pointsman.hostedPage(visit.token).pipe(
      Effect.map((view) => pageOf(subject(visit, view), visit)),
      Effect.catch(refuse(visit))
    )

  /** Forwards once it is decided: a customer who paid has nothing more to do here. */
  const comeBack = (visit: Visit) =>
    pointsman.returnFromCheckout(visit.token).pipe(
      Effect.map((view): Answer => {
        const { payment } = view
        const found = subject(visit, view)
        if (payment.state === "AwaitingCustomer") return pageOf(found, visit)
        if (payment.state === "CheckoutOpen") return unpaidPage(found, lookAgain(visit))
        if (isOpenEnded(payment)) return resultPage(found, lookAgain(visit))
        return redirectOr(returnAddress(payment, found.page), () => pageOf(found, visit))
      }),
      Effect.catch(refuse(visit))
    )

  const press = Effect.fnUntraced(function* (visit: Visit) {
    const form = yield* readForm(visit.request)
    if (form === "TooLarge") return withWayBack(readerOfRequest(visit.request), 413, "tooLarge")
    const view = yield* pointsman.hostedPage(visit.token)
    const { reader } = subject(visit, view)
    const pressed = pressedOf(leadsToProvider(view.payment), form)
    if (pressed === undefined) return withWayBack(reader, 422, "unknownAction")
    return yield* Effect.catch(perform(visit, view, pressed), refuse(visit, reader))
  })
  const perform = Effect.fnUntraced(function* (visit: Visit, view: HostedView, pressed: Pressed) {
    if (pressed._tag === "OpenCheckout") {
      const step = yield* pointsman.openCheckout(visit.token, `${hostedPageUrl(baseUrl, visit.token)}/return`)
      if (step._tag === "Redirect") return { redirect: step.url }
      const after = subject(visit, { ...view, payment: step.payment })
      return step.payment.state === "CheckoutOpen" ? closedPage(after, lookAgain(visit)) : pageOf(after, visit)
    }
    const { acted, payment } = yield* pointsman.actOnHostedPage(visit.token, pressed)
    const after = subject(visit, { ...view, payment })
    return redirectOr(acted ? returnAddress(payment, after.page) : undefined, () => pageOf(after, visit))
  })
  // Once the form is read it runs to its end, whether or not the customer still waits for it.
  const act = (visit: Visit) => press(visit).pipe(Effect.catch(refuse(visit)), Effect.uninterruptible)

  return {
    page: serve(render, "", show, act),
    comeBack: serve(render, "../", comeBack),
    other: (request: Request) => toResponse(render, plainPage(readerOfRequest(request), 404, "notFound"))
  }
})

/** Seconds until a page looks by itself, the first time and the times after: then it is left to the customer. */
const looksAfter = [2, 3, 5, 10, 20]

const lookAgain = ({ looks }: Visit): LookAgain => ({
  next: Math.min(looks + 1, looksAfter.length),
  after: looksAfter[looks]
})

const pageOf = (subject: Subject, visit: Visit): Document => {
  switch (screenOf(subject.payment, subject.page)) {
    case "Buttons":
      return visit.isChallenge ? challengePage(subject) : buttonsPage(subject)
    case "Checkout":
      return checkoutPage(subject)
    case "Expired":
      return expiredPage(subject)
    case "Result":
      return resultPage(subject, isOpenEnded(subject.payment) ? lookAgain(visit) : undefined)
  }
}

/** `locale`: the payment's own, where it has one. */
const readerOfRequest = ({ headers }: Request, locale?: string | null): Reader =>
  readerOf(headers["accept-language"], locale)

const withWayBack = (reader: Reader, status: number, outcome: Parameters<typeof plainPage>[2]): Document =>
  plainPage(
    reader,
    status,
    outcome,
    html`<div class="actions"><a class="button main" href="?">${reader.texts.backToPage}</a></div>`
  )

const tooMany = (reader: Reader, retryAfterMillis: number): Document => ({
  ...plainPage(reader, 429, "tooMany"),
  headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterMillis / 1000))) }
})

const refusalOf = (reader: Reader, failure: HostedFailure): Effect.Effect<Document> => {
  switch (failure._tag) {
    case "pointsman/PageNotFound":
      return Effect.succeed(plainPage(reader, 404, "notFound"))
    case "pointsman/HostedSuspended":
      return Effect.succeed(plainPage(reader, 403, "suspended"))
    case "pointsman/ActionNotOffered":
      return Effect.succeed(withWayBack(reader, 422, "unknownAction"))
    case "pointsman/StorageError":
      return Effect.as(report(failure), withWayBack(reader, 503, "unavailable"))
    case "pointsman/PaymentResultUnknown":
      return Effect.as(report(failure), withWayBack(reader, 500, "checking"))
  }
}

/** The fields of a posted form. What is no form, or cannot be read, has no field that a button would send. */
const readForm = (request: Request): Effect.Effect<URLSearchParams | "TooLarge"> => {
  if (Number(request.headers["content-length"]) > formBytesAtMost) return Effect.succeed("TooLarge")
  const mediaType = (request.headers["content-type"] ?? "").split(";", 1)[0] as string
  if (mediaType.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    return Effect.succeed(new URLSearchParams())
  }
  return request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(formBytesAtMost)),
    Effect.interruptible,
    Effect.match({
      onSuccess: (text) => new URLSearchParams(text),
      onFailure: ({ reason }) =>
        reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? "TooLarge" : new URLSearchParams()
    })
  )
}

/** A route for every method, so that what it does not take is refused with a page too. `up` leads to the payment's own. */
const serve =
  (
    render: Renderer,
    up: "" | "../",
    get: (visit: Visit) => Effect.Effect<Answer>,
    post?: (visit: Visit) => Effect.Effect<Answer>
  ) =>
  (request: Request) =>
    Effect.gen(function* () {
      const isLook = request.method === "GET" || request.method === "HEAD"
      const handler = isLook ? get : request.method === "POST" ? post : undefined
      if (handler === undefined) {
        const allow = post === undefined ? "GET, HEAD" : "GET, HEAD, POST"
        const refused = withWayBack(readerOfRequest(request), 405, "wrongMethod")
        return yield* toResponse(render, { ...refused, headers: { allow } })
      }
      return yield* toResponse(render, yield* handler(yield* visitOf(request, up)))
    }).pipe(Effect.catchCause((cause) => broken(render, request, cause)))

/** To the merchant's page; the page of this server where its address was erased. */
const redirectOr = (redirect: string | undefined, page: () => Answer): Answer =>
  redirect === undefined ? page() : { redirect }

const visitOf = Effect.fnUntraced(function* (request: Request, up: "" | "../") {
  const { token = "" } = yield* HttpRouter.params
  const { look, step } = yield* HttpServerRequest.ParsedSearchParams
  const visit: Visit = {
    request,
    token,
    isChallenge: step === "challenge",
    looks: typeof look === "string" && /^\d{1,3}$/u.test(look) ? Number(look) : 0,
    self: up === "" ? "" : `${up}${encodeURIComponent(token)}`
  }
  return visit
})

const toResponse = (render: Renderer, answer: Answer): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  "redirect" in answer
    ? Effect.succeed(HttpServerResponse.redirect(answer.redirect, { status: 303, headers: commonHeaders }))
    : render(answer)

/** The same as around the API, with a page in place of the envelope. */
const broken = Effect.fnUntraced(function* (render: Renderer, request: Request, cause: Cause.Cause<never>) {
  // The customer went away, or the server is shutting down: no client waits for the response.
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
  yield* Effect.logError("unexpected failure of a request", cause)
  const reader = readerOfRequest(request)
  const [before, after] = around(reader.texts.forSupport, "id")
  const id = html`<p class="soft text">${before}<bdi>${yield* RequestId}</bdi>${after}</p>`
  return yield* render(plainPage(reader, 500, "broken", id))
})
