/** The pages that a customer sees of a payment. */
import {
  type DeclineCategory,
  declineCategories,
  type HostedPage,
  type HostedView,
  type Payment,
  statusOf
} from "@pointsman/core"
import { amountText } from "@pointsman/core/internal"
import type { Document } from "./Document.ts"
import { type Html, html } from "./Html.ts"
import { returnAddress } from "./ReturnAddress.ts"
import { sign } from "./Sign.ts"
import { closedWords, declineWords, expiredWords, openingWords, stateWords, type Words } from "./Words.ts"

/** What every page of a payment is made from. */
export interface Subject {
  readonly payment: Payment
  readonly page: HostedPage
  readonly merchant: string
  /** One that `preferredLocale` gave. */
  readonly locale: string
  /** The payment's own page, relative to the one that is shown. Empty: it is the one that is shown. */
  readonly self: string
  /** The server itself is reached by http. */
  readonly isHttpServer: boolean
}

export const subjectOf = (
  { merchant, payment }: HostedView,
  rest: Pick<Subject, "locale" | "self" | "isHttpServer">
): Subject => {
  if (payment.hosted === null) throw new Error("the payment has no hosted page")
  return { payment, page: payment.hosted, merchant, ...rest }
}

/** The sandbox's buttons in place of a provider's checkout. */
export const buttonsPage = (subject: Subject): Document =>
  document(subject, {
    title: `Pay ${subject.merchant}`,
    main: html`<h1>Pay <bdi>${subject.merchant}</bdi></h1>
${amountLine(subject)}
${details(subject)}
<div class="actions">
${button(subject, "approve", "Approve", "main")}
<a class="button" href="${subject.self}?step=challenge">Approve after a 3DS challenge</a>
<form method="post"${action(subject)} class="group">
<label for="reason">Decline with a reason</label>
<div class="pair">
<select id="reason" name="reason">${declineCategories.map(
      (category) => html`<option value="${category}">${reasonLabel(category)}</option>`
    )}</select>
<button name="action" value="decline">Decline</button>
</div>
</form>
${button(subject, "cancel", "Cancel", "plain")}
</div>`
  })

/** What a bank would show to authenticate its customer. */
export const challengePage = (subject: Subject): Document =>
  document(subject, {
    title: "Confirm your identity",
    main: html`<h1>Confirm your identity</h1>
${amountLine(subject)}
<p class="soft text">This simulates the step in which a bank asks its customer (3-D Secure): is this payment to <bdi>${subject.merchant}</bdi> yours?</p>
<div class="actions">
${button(subject, "confirm_challenge", "Yes, it is mine", "main")}
${button(subject, "fail_challenge", "No, fail the challenge")}
<a class="button plain" href="${subject.self || "?"}">Back</a>
</div>`
  })

/** The way to a provider's own page. Opening one is a post: who merely looks at the link opens nothing. */
export const checkoutPage = (subject: Subject): Document => {
  const isOpen = subject.payment.state === "CheckoutOpen"
  return document(subject, {
    title: `Pay ${subject.merchant}`,
    main: html`<h1>Pay <bdi>${subject.merchant}</bdi></h1>
${amountLine(subject)}
${details(subject)}
<p class="soft text">You pay on the secure page of a payment provider, and come back afterwards.</p>
<div class="actions">
${button(subject, "continue", "Continue to payment", "main")}
${isOpen ? backLink(subject, "plain") : button(subject, "cancel", "Cancel", "plain")}
</div>`
  })
}

export const expiredPage = (subject: Subject): Document => ({ ...outcomePage(subject, expiredWords), status: 410 })

/** The outcome of a payment, or its progress. */
export const resultPage = (subject: Subject, again?: LookAgain): Document => {
  const { payment } = subject
  const isOpening = payment.state === "Charging" && payment.tenant.environment === "production"
  const words = isOpening ? openingWords : stateWords[payment.state]
  const reason = payment.declineCategory === null ? undefined : declineWords[payment.declineCategory]
  return outcomePage(subject, { ...words, text: reason === undefined ? words.text : `${reason} ${words.text}` }, again)
}

/** The customer is back from the provider's page, and no word of a payment is there yet. */
export const unpaidPage = (subject: Subject, again: LookAgain): Document =>
  outcomePage(
    subject,
    stateWords.CheckoutOpen,
    again,
    button(subject, "continue", "I have not paid yet – continue to payment")
  )

/** The provider's page has expired: the customer cannot return to it. */
export const closedPage = (subject: Subject, again: LookAgain): Document => outcomePage(subject, closedWords, again)

const outcomePage = (subject: Subject, words: Words, again?: LookAgain, more?: Html): Document =>
  document(subject, {
    title: words.heading,
    headers: again?.after === undefined ? undefined : { refresh: `${again.after}; url=?look=${again.next}` },
    main: html`${told(words)}
${details(subject, true)}
<div class="actions">
${again === undefined ? undefined : html`<a class="button main" href="?look=${again.next}">Check again</a>`}
${more}
${backLink(subject, again === undefined ? "main" : "plain")}
</div>`
  })

export interface LookAgain {
  /** Which look the next one is. */
  readonly next: number
  /** Seconds until the page looks by itself; `undefined` once it has done so often enough. */
  readonly after: number | undefined
}

/** A page about no payment: there is none, or the server failed. */
export const plainPage = (status: number, words: Words, below?: Html): Document => ({
  status,
  title: words.heading,
  main: html`<div class="body">${told(words)}${below}</div>`
})

const document = (
  { isHttpServer, page, payment }: Subject,
  rest: Pick<Document, "title" | "main" | "headers">
): Document => {
  const isSandbox = payment.tenant.environment === "sandbox"
  return {
    status: 200,
    ...rest,
    title: isSandbox ? `${rest.title} (sandbox)` : rest.title,
    isHttpAllowed: isHttpServer || [page.returnUrl, page.cancelUrl].some((url) => url !== null && /^http:/iu.test(url)),
    main: html`${isSandbox ? sandboxNote : undefined}<div class="body">${rest.main}</div>`
  }
}

const sandboxNote = html`<p class="note"><strong>Sandbox.</strong> No money moves, and no card is needed.</p>`

// A status: it is read out where a reader of screens follows the page.
const told = ({ heading, text, tone }: Words): Html =>
  html`<div class="told" role="status">${sign(tone)}<h1>${heading}</h1><p class="soft text">${text}</p></div>`

const amountLine = (subject: Subject): Html => html`<p class="amount">${amountOf(subject)}</p>`

/** It names the locale that it is written in, so that it is also read aloud in it. */
const amountOf = ({ locale, payment }: Subject): Html =>
  html`<bdi lang="${locale}">${amountText(payment.money, locale)}</bdi>`

/** With what the page's top says already, where `withAll` is set. The bare codes are for those who test. */
const details = (subject: Subject, withAll = false): Html | undefined => {
  const { merchant, payment } = subject
  const isSandbox = payment.tenant.environment === "sandbox"
  const rows: ReadonlyArray<readonly [name: string, value: Html] | undefined> = [
    withAll ? ["Amount", amountOf(subject)] : undefined,
    withAll ? ["Merchant", html`<bdi>${merchant}</bdi>`] : undefined,
    payment.reference === null ? undefined : ["Reference", html`<bdi>${payment.reference}</bdi>`],
    withAll && isSandbox ? ["Status", html`${statusOf[payment.state]}`] : undefined,
    withAll && isSandbox && payment.declineCategory !== null
      ? ["Category", html`${payment.declineCategory}`]
      : undefined
  ]
  const shown = rows.flatMap((row) =>
    row === undefined ? [] : [html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`]
  )
  return shown.length === 0 ? undefined : html`<dl>${shown}</dl>`
}

const button = (subject: Subject, value: string, label: string, look = ""): Html =>
  html`<form method="post"${action(subject)}><button name="action" value="${value}" class="${look}">${label}</button></form>`

/** Without it a form is posted to its own page. */
const action = ({ self }: Subject): Html | undefined => (self === "" ? undefined : html` action="${self}"`)

const backLink = (subject: Subject, look = "main"): Html | undefined => {
  const address = returnAddress(subject.payment, subject.page)
  return address === undefined
    ? undefined
    : html`<a class="button ${look}" href="${address}"><span>Back to <bdi>${subject.merchant}</bdi></span></a>`
}

/** `insufficient_funds` is "Insufficient funds". */
const reasonLabel = (category: DeclineCategory): string =>
  category.charAt(0).toUpperCase() + category.slice(1).replaceAll("_", " ")
