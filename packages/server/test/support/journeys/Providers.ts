/**
 * What a customer does on the page of each provider. A further provider is a row here, with a stand-in of its own.
 */
import { openAdyen } from "./AdyenStandIn.ts"
import { openCheckoutCom } from "./CheckoutStandIn.ts"
import type { Customer } from "./Customer.ts"
import { openMollie } from "./MollieStandIn.ts"
import { openPayPal } from "./PayPalStandIn.ts"
import type { Mode, StandIn } from "./StandIn.ts"
import { openStripe } from "./StripeStandIn.ts"

/** A provider, and what a customer does on its page. */
export interface Provider {
  readonly name: string
  readonly open: (now: () => number, mode: Mode) => Promise<StandIn>
  readonly method: "card" | "bank" | "wallet"
  readonly pay: (customer: Customer) => Promise<void>
  /** Is refused. */
  readonly decline: (customer: Customer) => Promise<void>
  /** The page that the customer tries again on after a refusal; `null` where the payment is over then. */
  readonly againAt: string | null
  /** `null` where its page has no way to end the payment. */
  readonly cancel: ((customer: Customer) => Promise<void>) | null
  /** Goes back to the shop, where that does not end the payment; `null` where its page has no way to. */
  readonly goBack: ((customer: Customer) => Promise<void>) | null
  /** The heading of its page. */
  readonly heading: string
  /** After how many hours a payment that the customer never made has ended. */
  readonly endsAfterHours: number
  /** Whether a payment is only authorized when its customer comes back. */
  readonly capturesLater: boolean
  /** Whether nothing is taken before a further request asks for it. */
  readonly isTakenApart: boolean
  /** Whether its messages are the only way to learn of a payment. */
  readonly isToldByMessages: boolean
}

const choose = async (customer: Customer, status: string) => {
  await customer.sees("Test mode")
  await customer.choose(status)
  await customer.press("Continue")
}

const byCard = async (customer: Customer, number = "4242424242424242") => {
  await customer.sees("Pay by card")
  await customer.fill("Card number", number)
  await customer.press("Pay")
}

const byBank = async (customer: Customer) => {
  await customer.sees("Choose a payment method")
  await customer.press("iDEAL")
  await customer.sees("Choose your bank")
  await customer.fill("Bank", "Rabobank")
  await customer.press("Continue")
}

const byPayPal = async (customer: Customer, funding = "balance") => {
  await customer.sees("Pay with PayPal")
  await customer.fill("Email", "customer@example.com")
  await customer.press("Log In")
  await customer.sees("Choose a way to pay")
  await customer.choose(funding)
  await customer.press("Pay Now")
}

/** A page for cards, on which a refused customer tries again, and which takes the money by itself. */
const pageForCards = {
  method: "card",
  heading: "Pay by card",
  pay: (customer: Customer) => byCard(customer),
  decline: (customer: Customer) => byCard(customer, "4000000000000002"),
  againAt: "Pay by card",
  cancel: null,
  goBack: null,
  endsAfterHours: 2,
  capturesLater: false,
  isTakenApart: false,
  isToldByMessages: false
} as const

const atMollie = (by: (customer: Customer) => Promise<void>) => ({
  pay: async (customer: Customer) => {
    await by(customer)
    await choose(customer, "paid")
  },
  decline: async (customer: Customer) => {
    await by(customer)
    await choose(customer, "failed")
  }
})

export const providers: ReadonlyArray<Provider> = [
  {
    ...pageForCards,
    ...atMollie(byCard),
    name: "Mollie, by card, with unsigned webhooks",
    open: (now, mode) => openMollie(now, false, mode),
    againAt: null,
    cancel: async (customer) => {
      await byCard(customer)
      await choose(customer, "canceled")
      await customer.sees("Choose a payment method")
      await customer.press("Cancel payment")
    }
  },
  {
    ...pageForCards,
    ...atMollie(byBank),
    name: "Mollie, with a choice of methods, and signed webhooks",
    open: (now, mode) => openMollie(now, true, mode),
    method: "bank",
    heading: "Choose a payment method",
    againAt: "Choose a payment method",
    cancel: async (customer) => {
      await customer.sees("Choose a payment method")
      await customer.press("Cancel payment")
    }
  },
  {
    ...pageForCards,
    name: "Checkout.com, on a payment link",
    open: openCheckoutCom,
    capturesLater: true
  },
  {
    ...pageForCards,
    name: "PayPal, whose orders are captured after the approval",
    open: openPayPal,
    method: "wallet",
    heading: "Pay with PayPal",
    pay: (customer) => byPayPal(customer),
    decline: (customer) => byPayPal(customer, "card-0002"),
    againAt: null,
    goBack: (customer) => customer.press("Cancel"),
    endsAfterHours: 8,
    isTakenApart: true
  },
  {
    ...pageForCards,
    name: "Stripe, on a page of Checkout",
    open: openStripe,
    goBack: (customer) => customer.press("Back")
  },
  {
    ...pageForCards,
    name: "Adyen, on a payment link",
    open: openAdyen,
    pay: async (customer) => {
      await byCard(customer)
      await customer.sees("Payment successful")
      await customer.press("Continue")
    },
    // A link lives for a day, after which the payment is looked up once a day.
    endsAfterHours: 49,
    isToldByMessages: true
  }
]
