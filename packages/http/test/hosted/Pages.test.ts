/** What each state of a payment shows, looked at and acted on. */
import type { HostedPage } from "@pointsman/core"
import { type Payment, type PaymentState, paymentStates, statusOf } from "@pointsman/core"
import { describe, expect, test } from "vitest"
import { routing } from "../support/Scripted.ts"
import { awaiting, backTo, hostedWeb, inProduction } from "./HostedWeb.ts"

const doNotPayAgain = "Please do not pay again: you could be charged twice."

/** What a page says, for every state that a customer can only look at. */
const results: Readonly<
  Record<
    Exclude<PaymentState, "AwaitingCustomer" | "CheckoutOpen">,
    { readonly heading: string; readonly says: string; readonly looksAgain?: true }
  >
> = {
  Charging: { heading: "Your payment is being processed", says: doNotPayAgain, looksAgain: true },
  ChargePending: { heading: "Your payment is being processed", says: doNotPayAgain, looksAgain: true },
  ChargeUnknown: { heading: "Your payment is being checked", says: doNotPayAgain, looksAgain: true },
  ChargeMismatched: { heading: "Your payment is being checked", says: doNotPayAgain, looksAgain: true },
  Authorized: { heading: "Payment approved", says: "The amount is reserved." },
  Capturing: { heading: "Payment approved", says: "The amount is reserved." },
  CapturePending: { heading: "Payment approved", says: "The amount is reserved." },
  CaptureUnknown: { heading: "Payment approved", says: "still being checked. Please do not pay again." },
  Voiding: { heading: "Your payment is being cancelled", says: "is being released." },
  VoidPending: { heading: "Your payment is being cancelled", says: "is being released." },
  VoidUnknown: { heading: "Your payment is being cancelled", says: "is still being checked." },
  Captured: { heading: "Payment complete", says: "Your payment went through." },
  Settled: { heading: "Payment complete", says: "Your payment went through." },
  PartiallyRefunded: { heading: "Payment partly refunded", says: "Part of the amount was refunded." },
  Refunded: { heading: "Payment refunded", says: "The amount was refunded." },
  ChargedBack: { heading: "Payment disputed", says: "was disputed." },
  Declined: { heading: "Payment declined", says: "Nothing was charged." },
  Failed: { heading: "Payment not possible", says: "Nothing was charged." },
  Cancelled: { heading: "Payment cancelled", says: "Nothing was charged." },
  Voided: { heading: "Payment cancelled", says: "The reserved amount was released." }
}

const cases = paymentStates.flatMap((state) =>
  state === "AwaitingCustomer" || state === "CheckoutOpen" ? [] : [{ state, ...results[state] }]
)

describe("a payment that waits for its customer", () => {
  test("a sandbox page has the buttons and no field for a card", async () => {
    const { get, script } = hostedWeb(awaiting)
    const page = await get()
    expect(page).toMatchObject({ status: 200, heading: "Pay Acme" })
    expect(page.words).toContain("Sandbox. No money moves, and no card is needed.")
    expect(page.words).toContain("€19.99")
    expect(page.words).toContain("Reference order-1")
    expect(page).toMatchObject({ actions: ["approve", "decline", "cancel"], hrefs: ["?step=challenge"] })
    expect(page.text).not.toContain("<input")
    expect(script.asked).toEqual([["hostedPage", "token"]])
  })

  test("the sandbox's challenge can be passed and failed", async () => {
    const page = await hostedWeb(awaiting).get("/hosted/token?step=challenge")
    expect(page).toMatchObject({
      heading: "Confirm your identity",
      actions: ["confirm_challenge", "fail_challenge"],
      hrefs: ["?"]
    })
  })

  test("opening the page in production opens nothing at a provider yet", async () => {
    const { get, script } = hostedWeb(inProduction(awaiting))
    const page = await get()
    expect(page).toMatchObject({ heading: "Pay Acme", actions: ["continue", "cancel"] })
    expect(page.words).not.toContain("Sandbox")
    expect(script.asked).toEqual([["hostedPage", "token"]])
  })

  test("a sandbox page that leads to the provider says so and has no buttons", async () => {
    const page = await hostedWeb({
      ...awaiting,
      hosted: { ...awaiting.hosted, leadsTo: "provider" } as HostedPage
    }).get()
    expect(page.actions).toEqual(["continue", "cancel"])
    expect(page.words).toContain("Sandbox")
  })

  test("the challenge in production is the page without it", async () => {
    const page = await hostedWeb(inProduction(awaiting)).get("/hosted/token?step=challenge")
    expect(page.actions).toEqual(["continue", "cancel"])
  })

  test("a page without a reference has no place for one", async () => {
    const page = await hostedWeb({ ...awaiting, reference: null }).get()
    expect(page.words).not.toContain("Reference")
  })
})

describe("a payment whose checkout is open", () => {
  test("another tab can continue and not cancel", async () => {
    const open = inProduction({ ...awaiting, state: "CheckoutOpen" })
    const page = await hostedWeb(open).get()
    expect(page).toMatchObject({ actions: ["continue"], hrefs: [backTo(open)] })
  })
})

describe("a payment that has moved on", () => {
  test.each(cases)("$state says $heading on the page and leads back", async ({ heading, looksAgain, says, state }) => {
    const moved: Payment = { ...awaiting, state }
    const page = await hostedWeb(moved).get()
    expect(page).toMatchObject({ status: 200, heading })
    expect(page.words).toContain(says)
    expect(page.words).toContain(`Status ${statusOf[state]}`)
    expect(page).toMatchObject({
      actions: [],
      hrefs: looksAgain ? ["?look=1", backTo(moved)] : [backTo(moved)],
      refresh: looksAgain ? "2; url=?look=1" : null
    })
    expect(page.text).toContain('role="status"')
  })

  test.each(cases)(
    "$state shows the same after a button of an old page, and redirects nowhere",
    async ({ heading, state }) => {
      const moved: Payment = { ...awaiting, state }
      for (const form of [{ action: "approve" }, { action: "cancel" }, { action: "decline", reason: "other" }]) {
        const page = await hostedWeb(moved).post(form)
        expect(page).toMatchObject({ status: 200, heading })
        expect(page.hrefs.at(-1)).toBe(backTo(moved))
        expect(page.location).toBe(null)
      }
    }
  )

  test.each(cases)("$state shows no internal code in production", async ({ state }) => {
    const page = await hostedWeb(inProduction({ ...awaiting, state })).get()
    expect(page.words).not.toContain(statusOf[state])
    expect(page.words).not.toContain("Sandbox")
  })

  test("Charging in production opens the checkout, and the page does not mention paying", async () => {
    const page = await hostedWeb(inProduction({ ...awaiting, state: "Charging" })).get()
    expect(page.heading).toBe("Opening the payment page")
  })
})

describe("a page that expired", () => {
  const expired: Payment = { ...awaiting, state: "Cancelled", updatedAt: Date.UTC(2026, 10, 21, 11, 30) }

  test("a page whose end was reached is 410 and says so", async () => {
    const page = await hostedWeb(expired).get()
    expect(page).toMatchObject({ status: 410, heading: "This payment page has expired" })
    expect(page.words).toContain("Nothing was charged.")
    expect(page).toMatchObject({ actions: [], hrefs: [backTo(expired)] })
  })

  test("a payment cancelled a millisecond before its end is cancelled", async () => {
    const page = await hostedWeb({ ...expired, updatedAt: expired.updatedAt - 1 }).get()
    expect(page).toMatchObject({ status: 200, heading: "Payment cancelled" })
  })

  test("a page that a provider cancelled later did not expire", async () => {
    const page = await hostedWeb({ ...expired, routing }).get()
    expect(page.heading).toBe("Payment cancelled")
  })
})

describe("a declined payment", () => {
  test.each([
    ["insufficient_funds", "The account has insufficient funds."],
    ["authentication_failed", "Authentication failed."],
    ["lost_or_stolen", "Your bank declined the payment."],
    ["suspected_fraud", "Your bank declined the payment."]
  ] as const)("%s in production reads: %s", async (declineCategory, says) => {
    const page = await hostedWeb(
      inProduction({ ...awaiting, state: "Declined", declineCategory, declineReason: "raw_code" })
    ).get()
    expect(page.words).toContain(`${says} Nothing was charged.`)
    expect(page.words).not.toContain(declineCategory)
    expect(page.words).not.toContain("raw_code")
  })

  test("the sandbox shows its category to testers", async () => {
    const page = await hostedWeb({ ...awaiting, state: "Declined", declineCategory: "suspected_fraud" }).get()
    expect(page.words).toContain("Category suspected_fraud")
  })
})

describe("looking again", () => {
  const pending: Payment = { ...awaiting, state: "ChargePending" }

  test.each([
    ["1", "3; url=?look=2", "?look=2"],
    ["4", "20; url=?look=5", "?look=5"],
    ["5", null, "?look=5"],
    ["999", null, "?look=5"],
    ["1000", "2; url=?look=1", "?look=1"],
    ["-1", "2; url=?look=1", "?look=1"],
    ["x&look=3", "2; url=?look=1", "?look=1"]
  ])("?look=%s looks by itself: %s", async (look, refresh, href) => {
    const page = await hostedWeb(pending).get(`/hosted/token?look=${look}`)
    expect(page.refresh).toBe(refresh)
    expect(page.hrefs[0]).toBe(href)
  })
})
