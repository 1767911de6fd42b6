/** `pointsman trigger`: a sandbox payment with the outcome that a developer wants to see. */
import { readDuration } from "@pointsman/configuration"
import { amountLimits } from "@pointsman/core"
import { environmentOfApiKey } from "@pointsman/core/internal"
import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { switchFlag, withHelp } from "./CommandHelp.ts"
import { EventShape, textIn } from "./EventLine.ts"
import { type Answer, call, errorOf, findServer, type LocalServer, serverFlags } from "./LocalServer.ts"
import { jsonFlag, print, withProgress } from "./Output.ts"
import { facts, paragraphs, status, type Text, table } from "./Table.ts"
import { type Outcome, outcomeNames, outcomes } from "./TriggerOutcomes.ts"
import { moneyText, printable } from "./Words.ts"

const Payment = Schema.Struct({
  payment_id: Schema.String,
  status: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  captured_amount: Schema.Int,
  refunded_amount: Schema.Int,
  refund_pending_amount: Schema.Int,
  decline_category: Schema.NullOr(Schema.String),
  next_action: Schema.Struct({ type: Schema.String, url: Schema.optionalKey(Schema.String) })
})
type Payment = typeof Payment.Type

const readPayment = Schema.decodeUnknownOption(Schema.Struct({ data: Payment }))
const readEvents = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Array(EventShape) }))

/** What was asked, and how the server answered. */
interface Asked {
  readonly request: string
  readonly status: number
  /** Of an answer that is an error. */
  readonly code: string | null
  readonly message: string | null
}

export const triggerCommand = Command.make(
  "trigger",
  {
    outcome: Argument.Literals("outcome", outcomeNames).pipe(
      Argument.withDescription("Outcome of the payment; list them with `pointsman trigger --list`"),
      Argument.withMetavar("outcome"),
      Argument.optional
    ),
    list: switchFlag("list", "List the outcomes and exit"),
    amount: Flag.Int("amount").pipe(
      Flag.withDescription("Amount in minor units of the currency"),
      Flag.filter(
        (amount) => amount >= 2 && amount <= amountLimits.maximum,
        () => `a whole number of minor units from 2 to ${amountLimits.maximum}`
      ),
      Flag.withDefault(1999)
    ),
    currency: Flag.String("currency").pipe(Flag.withDescription("ISO 4217 currency code"), Flag.withDefault("EUR")),
    country: Flag.String("country").pipe(Flag.withDescription("Country of the customer"), Flag.withDefault("NL")),
    wait: Flag.String("wait").pipe(
      Flag.withMetavar("duration"),
      Flag.withDescription("How long to wait for an outcome that the server settles later"),
      Flag.filterMap(readDuration, () => 'a duration, such as "30 seconds"'),
      Flag.withDefault(60_000)
    ),
    ...serverFlags,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, list, outcome: named, wait, ...given }) {
    if (list) return yield* print(json, { data: outcomes.map(outcomeView) }, outcomesText)
    const outcome = outcomes.find(({ name }) => name === Option.getOrUndefined(named))
    if (outcome === undefined) {
      return yield* new CommandFailure({ message: "Expected an outcome; list them with `pointsman trigger --list`." })
    }
    const server = yield* findServer(given)
    if (environmentOfApiKey(Redacted.value(server.key)) !== "sandbox") {
      return yield* new CommandFailure({
        message: "POINTSMAN_API_KEY (--key): expected a sandbox key, ps_test_…; production does not simulate outcomes."
      })
    }
    const { asked, paymentId } = yield* play(server, outcome, given)
    const payment = yield* withProgress(json, (tell) =>
      ended(server, paymentId, outcome.endsLater === true ? wait : 0, tell)
    )
    const events = yield* eventsOf(server, paymentId)
    yield* print(json, { data: { outcome: outcome.name, ends: outcome.ends, asked, payment, events } }, text())
    if (json) return
    if (isOpen(payment) && outcome.endsLater === true) {
      yield* Console.error(
        "The payment is still open: the server checks with the provider at its check intervals " +
          "(POINTSMAN_UNKNOWN_CHECK_INTERVAL and others), which `pointsman dev` keeps short."
      )
    } else if (payment.status !== outcome.ends) {
      yield* Console.error(
        `Expected ${outcome.ends}: this requires a workspace with two sandbox connections and routing that ` +
          "tries both."
      )
    }

    function text(): Text {
      return paragraphs(
        facts([
          ["Payment", payment.payment_id],
          ["Status", status(payment.status)],
          ["Amount", moneyText(payment.amount, payment.currency)],
          ["Captured", moneyText(payment.captured_amount, payment.currency)],
          [
            "Refunded",
            `${moneyText(payment.refunded_amount, payment.currency)}, and ` +
              `${moneyText(payment.refund_pending_amount, payment.currency)} pending`
          ],
          ...(payment.decline_category === null ? [] : [["Declined", payment.decline_category] as const]),
          ...(payment.next_action.url === undefined ? [] : [["Page", payment.next_action.url] as const])
        ]),
        table(
          ["ASKED", "ANSWER", "ERROR"],
          asked.map(({ code, request, status }) => [request, status, code])
        ),
        table(
          ["EVENT", "TYPE", "STATUS", "ID"],
          events.map((event) => [event.created, event.type, status(textIn(event, "payment_status")), event.id])
        )
      )
    }
  })
).pipe(
  withHelp({
    short: "Make a sandbox payment with a given outcome",
    long:
      "Make a sandbox payment with a given outcome through the API of a running server: create it, run the " +
      "operations that the outcome needs, and wait until the server has settled it. Prints the payment, " +
      "the response to each request, and its events.",
    examples: {
      "pointsman trigger captured": "On the server of `pointsman dev`",
      "pointsman trigger declined:expired_card --json": "As JSON",
      "pointsman trigger --list": "The available outcomes"
    }
  })
)

const outcomeView = ({ ends, endsLater, name, says }: Outcome) => ({
  name,
  ends,
  says,
  settled_later: endsLater === true
})

const outcomesText = table(
  ["OUTCOME", "ENDS AS", "WHAT HAPPENS"],
  outcomes.map(({ ends, name, says }) => [name, ends, says])
)

interface PaymentOf {
  readonly amount: number
  readonly currency: string
  readonly country: string
}

/**
 * Sends the requests in sequence. A refusal after the create is part of the expected result; one of the create is not.
 */
const play = Effect.fnUntraced(function* (server: LocalServer, outcome: Outcome, order: PaymentOf) {
  const created = yield* call(server, "POST", "/payments", {
    amount: order.amount,
    currency: order.currency,
    country: order.country,
    reference: `trigger ${outcome.name}`,
    simulate: outcome.simulate,
    ...(outcome.isHeld === true ? { capture_method: "manual" } : {}),
    ...(outcome.isHosted === true ? { return_url: "http://localhost:3000/thank-you" } : {})
  })
  const payment = yield* paymentIn(created)
  const asked: Array<Asked> = [askedOf("POST /payments", created)]
  for (const { operation, part } of outcome.after ?? []) {
    const path = `/payments/${payment.payment_id}/${operation === "refund" ? "refunds" : operation}`
    const body = part === true ? { amount: Math.floor(order.amount / 2) } : operation === "refund" ? {} : undefined
    asked.push(askedOf(`POST ${path}`, yield* call(server, "POST", path, body)))
  }
  return { asked, paymentId: payment.payment_id }
})

const askedOf = (request: string, answer: Answer): Asked => {
  const error = errorOf(answer)
  return { request, status: answer.status, code: error?.code ?? null, message: error?.message ?? null }
}

const paymentIn = (answer: Answer): Effect.Effect<Payment, CommandFailure> => {
  const payment = readPayment(answer.body)
  if (Option.isSome(payment)) return Effect.succeed(payment.value.data)
  const error = errorOf(answer)
  return Effect.fail(
    new CommandFailure({
      message:
        error === undefined
          ? `The server responded with ${answer.status} and an unexpected body. Is it a Pointsman server?`
          : `The server responded with ${answer.status} ${printable(error.code)}: ${printable(error.message)}`
    })
  )
}

const read = (server: LocalServer, paymentId: string) =>
  Effect.flatMap(call(server, "GET", `/payments/${paymentId}`), paymentIn)

/** The result is not known yet. */
const isOpen = ({ refund_pending_amount, status }: Payment): boolean =>
  status === "PENDING" || status === "UNKNOWN" || refund_pending_amount > 0

/** Between two looks, in milliseconds. */
const lookEveryMillis = 500

/** The payment as it is when nothing of it is open, or when the time is over. */
const ended = Effect.fnUntraced(function* (
  server: LocalServer,
  paymentId: string,
  waitMillis: number,
  tell: (line: string) => Effect.Effect<void>
) {
  let payment = yield* read(server, paymentId)
  for (let waited = 0; isOpen(payment) && waited < waitMillis; waited += lookEveryMillis) {
    yield* tell(
      `${payment.status} for ${Math.floor(waited / 1_000)} s; waiting for the server to check with the provider …`
    )
    yield* Effect.sleep(lookEveryMillis)
    payment = yield* read(server, paymentId)
  }
  return payment
})

const eventsOf = Effect.fnUntraced(function* (server: LocalServer, paymentId: string) {
  const answer = yield* call(server, "GET", `/payments/${paymentId}/events?limit=100`)
  return yield* Effect.mapError(
    Effect.fromOption(readEvents(answer.body)),
    () => new CommandFailure({ message: `The server responded with ${answer.status} when listing the events.` })
  ).pipe(Effect.map(({ data }) => data))
})
