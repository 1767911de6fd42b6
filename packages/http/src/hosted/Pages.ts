/** The pages that a customer sees of a payment. */
import { declineCategories, type HostedPage, type HostedView, type Payment, statusOf } from "@pointsman/core"
import { amountText, leadsToProvider } from "@pointsman/core/internal"
import type { Document } from "./Document.ts"
import { type Html, html } from "./Html.ts"
import { declineReasonOf, outcomeOf, returnAddress, type Tone, toneOf } from "./Outcomes.ts"
import { type PageBrand, pageBrandOf } from "./PageBrand.ts"
import type { Reader } from "./Reader.ts"
import { around, type Outcome, type TextWith } from "./texts/Texts.ts"

/** What every page of a payment is made from. */
export interface Subject {
  readonly payment: Payment
  readonly page: HostedPage
  readonly merchant: string
  readonly brand: PageBrand
  readonly reader: Reader
  /** The payment's own page, relative to the one that is shown. Empty: it is the one that is shown. */
  readonly self: string
  /** The server itself is reached by http. */
  readonly isHttpServer: boolean
}

export const subjectOf = (
  { brand, merchant, payment }: HostedView,
  rest: Pick<Subject, "reader" | "self" | "isHttpServer">
): Subject => {
  if (payment.hosted === null) throw new Error("the payment has no hosted page")
  return { payment, page: payment.hosted, merchant, brand: pageBrandOf(brand, merchant, rest.reader), ...rest }
}

/** The sandbox's buttons in place of a provider's checkout. */
export const buttonsPage = (subject: Subject): Document => {
  const { texts } = subject.reader
  return document(subject, {
    title: titleWith(texts.pay, subject),
    main: html`<h1>${withMerchant(texts.pay, subject)}</h1>
${amountLine(subject)}
${purchased(subject)}
${details(subject)}
<div class="actions">
${button(subject, "approve", texts.approve, "main")}
<a class="button" href="${subject.self}?step=challenge">${texts.approveAfterChallenge}</a>
<form method="post"${action(subject)} class="group">
<label for="reason">${texts.declineWithReason}</label>
<div class="pair">
<select id="reason" name="reason">${declineCategories.map(
      (category) => html`<option value="${category}">${texts.declineCategories[category]}</option>`
    )}</select>
<button name="action" value="decline">${texts.decline}</button>
</div>
</form>
${button(subject, "cancel", texts.cancel, "plain")}
</div>`
  })
}

/** What a bank would show to authenticate its customer. */
export const challengePage = (subject: Subject): Document => {
  const { texts } = subject.reader
  return document(subject, {
    title: texts.challenge,
    main: html`<h1>${texts.challenge}</h1>
${amountLine(subject)}
<p class="soft text">${withMerchant(texts.challengeText, subject)}</p>
<div class="actions">
${button(subject, "confirm_challenge", texts.passChallenge, "main")}
${button(subject, "fail_challenge", texts.failChallenge)}
<a class="button plain" href="${subject.self || "?"}">${texts.back}</a>
</div>`
  })
}

/** The way to a provider's own page. Opening one is a post: who merely looks at the link opens nothing. */
export const checkoutPage = (subject: Subject): Document => {
  const { texts } = subject.reader
  const isOpen = subject.payment.state === "CheckoutOpen"
  return document(subject, {
    title: titleWith(texts.pay, subject),
    main: html`<h1>${withMerchant(texts.pay, subject)}</h1>
${amountLine(subject)}
${purchased(subject)}
${details(subject)}
<p class="soft text">${texts.checkoutText}</p>
<div class="actions">
${button(subject, "continue", texts.continueToPayment, "main")}
${isOpen ? backLink(subject, "plain") : button(subject, "cancel", texts.cancel, "plain")}
</div>`
  })
}

export const expiredPage = (subject: Subject): Document => ({ ...outcomePage(subject, "expired"), status: 410 })

/** The outcome of a payment, or its progress. */
export const resultPage = (subject: Subject, again?: LookAgain): Document => {
  const { payment } = subject
  const isOpening = payment.state === "Charging" && leadsToProvider(payment)
  return outcomePage(subject, isOpening ? "opening" : outcomeOf[payment.state], again)
}

/** The customer is back from the provider's page, and no word of a payment is there yet. */
export const unpaidPage = (subject: Subject, again: LookAgain): Document =>
  outcomePage(subject, "unconfirmed", again, button(subject, "continue", subject.reader.texts.notPaidContinue))

/** The provider's page has expired: the customer cannot return to it. */
export const closedPage = (subject: Subject, again: LookAgain): Document => outcomePage(subject, "closed", again)

const outcomePage = (subject: Subject, outcome: Outcome, again?: LookAgain, more?: Html): Document => {
  const { payment, reader } = subject
  const { outcomes, declineReasons, checkAgain } = reader.texts
  const reason = payment.declineCategory === null ? undefined : declineReasons[declineReasonOf[payment.declineCategory]]
  return document(subject, {
    title: outcomes[outcome].heading,
    headers: again?.after === undefined ? undefined : { refresh: `${again.after}; url=?look=${again.next}` },
    main: html`${told(reader, outcome, reason)}
${details(subject, true)}
<div class="actions">
${again === undefined ? undefined : html`<a class="button main" href="?look=${again.next}">${checkAgain}</a>`}
${more}
${backLink(subject, again === undefined ? "main" : "plain")}
</div>`
  })
}

export interface LookAgain {
  /** Which look the next one is. */
  readonly next: number
  /** Seconds until the page looks by itself; `undefined` once it has done so often enough. */
  readonly after: number | undefined
}

/** A page about no payment: there is none, or the server failed. */
export const plainPage = (reader: Reader, status: number, outcome: Outcome, below?: Html): Document => ({
  reader,
  brand: pageBrandOf(null, "", reader),
  status,
  title: reader.texts.outcomes[outcome].heading,
  main: html`<div class="body">${told(reader, outcome)}${below}</div>`
})

const document = (
  { brand, isHttpServer, page, payment, reader }: Subject,
  rest: Pick<Document, "title" | "main" | "headers">
): Document => {
  const isSandbox = payment.tenant.environment === "sandbox"
  return {
    reader,
    brand,
    status: 200,
    ...rest,
    title: isSandbox ? around(reader.texts.sandboxTitle, "title").join(rest.title) : rest.title,
    isHttpAllowed: isHttpServer || [page.returnUrl, page.cancelUrl].some((url) => url !== null && /^http:/iu.test(url)),
    main: html`${isSandbox ? sandboxNote(reader) : undefined}<div class="body">${brand.header}${rest.main}</div>`
  }
}

const sandboxNote = ({ texts }: Reader): Html =>
  html`<p class="note"><strong>${texts.sandboxName}</strong> ${texts.sandboxText}</p>`

// A status: it is read out where a reader of screens follows the page.
const told = ({ texts }: Reader, outcome: Outcome, reason?: string): Html => {
  const { heading, text } = texts.outcomes[outcome]
  return html`<div class="told" role="status">${sign(toneOf[outcome])}<h1>${heading}</h1>${
    reason === undefined ? undefined : html`<p class="soft text">${reason}</p>`
  }<p class="soft text">${text}</p></div>`
}

/** Apart from what is around it: a name may be written in the other direction. */
const withMerchant = (text: TextWith<"merchant">, { merchant }: Subject): Html => {
  const [before, after] = around(text, "merchant")
  return html`${before}<bdi>${merchant}</bdi>${after}`
}

const titleWith = (text: TextWith<"merchant">, { merchant }: Subject): string => around(text, "merchant").join(merchant)

const amountLine = (subject: Subject): Html => html`<p class="amount">${amountOf(subject)}</p>`

// With its own locale, so that it is also read aloud in it.
const amountOf = ({ payment, reader }: Subject): Html =>
  html`<bdi lang="${reader.locale}">${amountText(payment.money, reader.locale)}</bdi>`

/** What the customer pays for, in the merchant's words, which may be written in the other direction. */
const purchased = ({ payment, reader }: Subject): Html | undefined => {
  const { description, lines } = payment.purchase ?? { description: null, lines: null }
  const { locale } = reader
  const shown = lines?.map(
    ({ amountMinor, name, quantity }) =>
      html`<div><dt>${quantity > 1 ? html`${quantity} × ` : undefined}<bdi>${name}</bdi></dt><dd><bdi lang="${locale}">${amountText({ ...payment.money, minorUnits: amountMinor }, locale)}</bdi></dd></div>`
  )
  return html`${description === null ? undefined : html`<p class="soft text" dir="auto">${description}</p>`}${
    shown === undefined ? undefined : html`<dl class="lines">${shown}</dl>`
  }`
}

/** With what the page's top says already, where `withAll` is set. The bare codes are for those who test. */
const details = (subject: Subject, withAll = false): Html | undefined => {
  const { merchant, payment, reader } = subject
  const { texts } = reader
  const isSandbox = payment.tenant.environment === "sandbox"
  const rows: ReadonlyArray<readonly [name: string, value: Html] | undefined> = [
    withAll ? [texts.amount, amountOf(subject)] : undefined,
    withAll ? [texts.merchant, html`<bdi>${merchant}</bdi>`] : undefined,
    payment.reference === null ? undefined : [texts.reference, html`<bdi>${payment.reference}</bdi>`],
    withAll && isSandbox ? [texts.status, html`<bdi>${statusOf[payment.state]}</bdi>`] : undefined,
    withAll && isSandbox && payment.declineCategory !== null
      ? [texts.category, html`<bdi>${payment.declineCategory}</bdi>`]
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
    : html`<a class="button ${look}" href="${address}"><span>${withMerchant(subject.reader.texts.backToMerchant, subject)}</span></a>`
}

/** The picture beside the outcome of a payment. It says nothing that the text does not say. */
const sign = (tone: Tone): Html =>
  html`<span class="sign ${tone}" aria-hidden="true"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round">${strokes[tone]}</svg></span>`

const strokes: Readonly<Record<Tone, Html>> = {
  good: html`<path d="M5 12.5l4.5 4.5L19 7.5"/>`,
  bad: html`<path d="M7 7l10 10M17 7L7 17"/>`,
  wait: html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>`,
  still: html`<path d="M6 12h12"/>`
}
