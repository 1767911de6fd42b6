/** What the buttons do, and where the customer is sent after them. */
import {
  ActionNotOffered,
  declineCategories,
  type HostedAction,
  HostedSuspended,
  type Payment,
  PaymentResultUnknown,
  type Pointsman
} from "@pointsman/core"
import { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { awaiting, backTo, hostedWeb, inProduction } from "./HostedWeb.ts"

const captured: Payment = { ...awaiting, state: "Captured" }
const cancelled: Payment = { ...awaiting, state: "Cancelled" }

/** A page on which acting comes to `after`. */
const acting = (after: Payment, acted = true) =>
  hostedWeb(awaiting, { answers: { actOnHostedPage: () => Effect.succeed({ payment: after, acted }) } })

const sent = (body: string | ReadableStream<Uint8Array>, contentType = "application/x-www-form-urlencoded") => ({
  method: "POST",
  headers: { "content-type": contentType },
  body
})

describe("the sandbox's buttons", () => {
  const buttons: ReadonlyArray<readonly [form: Record<string, string>, action: HostedAction]> = [
    [{ action: "approve" }, { _tag: "Approve" }],
    [{ action: "confirm_challenge" }, { _tag: "ApproveAfterChallenge" }],
    [{ action: "fail_challenge" }, { _tag: "Decline", category: "authentication_failed" }],
    [{ action: "cancel" }, { _tag: "Cancel" }],
    ...declineCategories.map(
      (category) =>
        [
          { action: "decline", reason: category },
          { _tag: "Decline", category }
        ] as const
    )
  ]

  test.each(buttons)("%o asks core for %o and sends the customer back", async (form, action) => {
    const { post, script } = acting(captured)
    const page = await post(form)
    expect(script.asked).toEqual([
      ["hostedPage", "token"],
      ["actOnHostedPage", "token", action]
    ])
    expect(page).toMatchObject({ status: 303, location: backTo(captured), text: "" })
  })

  test.each<Record<string, string>>([
    {},
    { action: "" },
    { action: "capture" },
    { action: "continue" },
    { action: "Approve" },
    { action: "decline" },
    { action: "decline", reason: "" },
    { action: "decline", reason: "bad_luck" },
    { action: "decline", reason: "toString" }
  ])("%o, which is no button, is 422 and does not ask core", async (form) => {
    const { post, script } = acting(captured)
    const page = await post(form)
    expect(page).toMatchObject({ status: 422, heading: "Invalid choice" })
    expect(page.words).toContain("Nothing was changed.")
    expect(page.hrefs).toEqual(["?"])
    expect(script.asked).toEqual([["hostedPage", "token"]])
  })

  test.each(["application/json", "multipart/form-data; boundary=x", "text/plain"])(
    "a body of %s is 422",
    async (contentType) => {
      const { script, send } = acting(captured)
      const page = await send("/hosted/token", sent("action=approve", contentType))
      expect(page).toMatchObject({ status: 422, heading: "Invalid choice" })
      expect(script.asked).toEqual([["hostedPage", "token"]])
    }
  )

  test("a post without a body is 422", async () => {
    const page = await acting(captured).send("/hosted/token", { method: "POST" })
    expect(page.status).toBe(422)
  })

  test.each([
    [1_024, 303],
    [1_025, 413]
  ])("a form of %i bytes is %i", async (bytes, status) => {
    const body = "action=approve&padding=".padEnd(bytes, "x")
    const { script, send } = acting(captured)
    const page = await send("/hosted/token", sent(body))
    expect(page.status).toBe(status)
    expect(script.asked).toHaveLength(status === 303 ? 2 : 0)
  })

  test("a form without end is 413 past the limit, and core is not asked", async () => {
    const { send, script } = acting(captured)
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("action=approve&".repeat(10)))
    })
    const page = await send("/hosted/token", { ...sent(body), duplex: "half" } as RequestInit)
    expect(page).toMatchObject({ status: 413, heading: "Request too large" })
    expect(page.headers.get("connection")).toBe("close")
    expect(script.asked).toEqual([])
  })
})

describe("two tabs", () => {
  test("a tab that declines shows what the first one's approval came to", async () => {
    const page = await acting(captured, false).post({ action: "decline", reason: "other" })
    expect(page).toMatchObject({ status: 200, heading: "Payment complete", hrefs: [backTo(captured)] })
  })

  test("a tab that approves during a charge says not to pay again, and looks again", async () => {
    const page = await acting({ ...awaiting, state: "Charging" }, false).post({ action: "approve" })
    expect(page).toMatchObject({ heading: "Your payment is being processed", refresh: "2; url=?look=1" })
  })
})

describe("production's buttons", () => {
  const production = inProduction(awaiting)
  /** After the button that leads to the provider, which comes to this. */
  const continued = async (opened: Effect.Success<ReturnType<Pointsman["Service"]["openCheckout"]>>) => {
    const { post, script } = hostedWeb(production, { answers: { openCheckout: () => Effect.succeed(opened) } })
    return { page: await post({ action: "continue" }), script }
  }

  test("continue opens the checkout with our return address and leads to it", async () => {
    const { page, script } = await continued({ _tag: "Redirect", url: "https://provider.example/pay?x=1#y" })
    expect(page).toMatchObject({ status: 303, location: "https://provider.example/pay?x=1#y" })
    expect(script.asked.at(-1)).toEqual(["openCheckout", "token", "https://pay.example/hosted/token/return"])
  })

  test("continue while another tab opens the checkout says so and looks again", async () => {
    const payment: Payment = { ...production, state: "Charging" }
    const { page } = await continued({ _tag: "Wait", payment })
    expect(page).toMatchObject({ status: 200, heading: "Opening the payment page", refresh: "2; url=?look=1" })
  })

  test("continue says that nothing was charged if no connection could open a checkout", async () => {
    const payment: Payment = { ...production, state: "Failed" }
    const { page } = await continued({ _tag: "Ended", payment })
    expect(page).toMatchObject({ heading: "Payment not possible", hrefs: [backTo(payment)] })
  })

  test("a post after an unanswered opening is being checked", async () => {
    const payment: Payment = { ...production, state: "ChargeUnknown" }
    const { page } = await continued({ _tag: "Ended", payment })
    expect(page.heading).toBe("Your payment is being checked")
    expect(page.words).toContain("you could be charged twice")
  })

  test("continue after the provider's page has ended offers no way there", async () => {
    const open: Payment = { ...production, state: "CheckoutOpen" }
    const { post } = hostedWeb(open)
    const page = await post({ action: "continue" })
    expect(page).toMatchObject({
      heading: "The payment page has closed",
      actions: [],
      hrefs: ["?look=1", backTo(open)]
    })
  })

  test("cancel asks core to cancel", async () => {
    const { post, script } = hostedWeb(production, {
      answers: { actOnHostedPage: () => Effect.succeed({ payment: inProduction(cancelled), acted: true }) }
    })
    expect((await post({ action: "cancel" })).location).toBe(backTo(cancelled))
    expect(script.asked.at(-1)).toEqual(["actOnHostedPage", "token", { _tag: "Cancel" }])
  })

  test.each(["approve", "confirm_challenge", "fail_challenge", "decline"])(
    "the sandbox's %s is 422 and core is not asked",
    async (action) => {
      const { post, script } = hostedWeb(production)
      expect((await post({ action, reason: "other" })).status).toBe(422)
      expect(script.asked).toEqual([["hostedPage", "token"]])
    }
  )
})

describe("coming back from the provider", () => {
  test.each(["Captured", "Authorized", "Declined", "Failed", "Cancelled", "Voided", "CaptureUnknown"] as const)(
    "%s forwards a customer who comes back to the merchant",
    async (state) => {
      const decided = inProduction({ ...awaiting, state })
      const { get, script } = hostedWeb(decided)
      const page = await get("/hosted/token/return?session=whatever&status=CAPTURED")
      expect(page).toMatchObject({ status: 303, location: backTo(decided) })
      expect(script.asked).toEqual([["returnFromCheckout", "token"]])
    }
  )

  test.each(["ChargePending", "ChargeUnknown", "ChargeMismatched", "Charging"] as const)(
    "%s, when the customer comes back, looks again and continues only by a link",
    async (state) => {
      const open = inProduction({ ...awaiting, state })
      const page = await hostedWeb(open).get("/hosted/token/return?look=2")
      expect(page).toMatchObject({ status: 200, refresh: "5; url=?look=3", hrefs: ["?look=3", backTo(open)] })
    }
  )

  test("a customer who comes back unpaid can continue on the payment's own page", async () => {
    const open = inProduction({ ...awaiting, state: "CheckoutOpen" })
    const page = await hostedWeb(open).get("/hosted/token/return")
    expect(page).toMatchObject({ status: 200, heading: "Your payment is not confirmed yet" })
    expect(page.words).toContain("please do not pay again")
    expect(page.actions).toEqual(["continue"])
    expect(page.text).toContain('<form method="post" action="../token">')
    expect(page.refresh).toBe("2; url=?look=1")
  })

  test("a return before anything began shows the payment's page, and its forms go there", async () => {
    const page = await hostedWeb(awaiting).get("/hosted/token/return")
    expect(page).toMatchObject({ actions: ["approve", "decline", "cancel"], hrefs: ["../token?step=challenge"] })
    expect(page.text.match(/<form [^>]*>/gu)).toEqual([
      '<form method="post" action="../token">',
      '<form method="post" action="../token" class="group">',
      '<form method="post" action="../token">'
    ])
  })
})

describe("what fails", () => {
  const storageError = new StorageError({ operation: "read", cause: new Error("disk is on fire at /var/secret") })
  const resultUnknown = new PaymentResultUnknown({ paymentId: "p", cause: new Error("lost at /var/secret") })

  test.each([
    ["/hosted/token", "GET"],
    ["/hosted/token", "POST"],
    ["/hosted/token/return", "GET"]
  ])("a silent store makes %s by %s a 503, with the reason only in the log", async (path, method) => {
    const { send, web } = hostedWeb(awaiting, {
      answers: { hostedPage: () => storageError, returnFromCheckout: () => storageError }
    })
    const page = await send(path, {
      method,
      ...(method === "POST" ? { body: new URLSearchParams({ action: "approve" }) } : {})
    })
    expect(page).toMatchObject({ status: 503, heading: "Temporarily unavailable" })
    expect(page.text).not.toContain("secret")
    expect(web.log.join()).toContain("disk is on fire")
  })

  test("an action with an unknown result is 500 and says not to pay again", async () => {
    const { post, web } = hostedWeb(awaiting, { answers: { actOnHostedPage: () => resultUnknown } })
    const page = await post({ action: "approve" })
    expect(page).toMatchObject({ status: 500, heading: "Your payment is being checked" })
    expect(page.words).toContain("Please do not pay again")
    expect(page.words).not.toContain("Nothing was charged")
    expect(page.text).not.toContain("secret")
    expect(web.log.join()).toContain("lost at")
  })

  test("an action in a suspended workspace is 403 and nothing was charged", async () => {
    const page = await hostedWeb(awaiting, { answers: { actOnHostedPage: () => new HostedSuspended() } }).post({
      action: "approve"
    })
    expect(page).toMatchObject({ status: 403, heading: "This shop is not accepting payments at the moment" })
  })

  test("an action that core does not offer is 422", async () => {
    const page = await hostedWeb(awaiting, { answers: { actOnHostedPage: () => new ActionNotOffered() } }).post({
      action: "approve"
    })
    expect(page.status).toBe(422)
  })

  test("a defect is a page without details, and the log names the request", async () => {
    const { get, web } = hostedWeb(awaiting, {
      answers: { hostedPage: () => Effect.die(new Error("a bug at /src/x.ts")) }
    })
    const page = await get()
    const requestId = page.headers.get("x-request-id") ?? "none"
    expect(page).toMatchObject({ status: 500, heading: "Something went wrong" })
    expect(page.words).toContain(requestId)
    expect(page.words).not.toContain("Nothing was charged")
    expect(page.text).not.toContain("bug")
    expect(web.log.join()).toContain("a bug at")
    expect(web.log.join()).toContain(requestId)
  })
})
