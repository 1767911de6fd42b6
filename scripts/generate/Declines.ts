/** The page of what each provider's codes for a declined payment mean, from the tables of the connectors. */
import { adviceOf, categoryOfDecline, type DeclineMeaning, declineCodes } from "@pointsman/core/connector"
import { meaningOf, reasons } from "../../packages/connectors/adyen/src/Declines.ts"
import { declines as checkout } from "../../packages/connectors/checkout/src/Declines.ts"
import { declines as mollie } from "../../packages/connectors/mollie/src/Declines.ts"
import { declines as paypal } from "../../packages/connectors/paypal/src/Declines.ts"
import { declines as stripe } from "../../packages/connectors/stripe/src/Declines.ts"
import { code, table } from "./Markdown.ts"

export const declinesPath = "docs/reference/declines.md"

type Entries = ReadonlyArray<readonly [providerCode: string, meaning: DeclineMeaning]>

/** Where the provider documents its codes, by what they are. */
type Sources = Readonly<Record<string, string>>

const adyen: Entries = reasons.map((reason) => [`${code(reason.code)} ${reason.reason}`, meaningOf(reason)])
const coded = (entries: Iterable<readonly [string, DeclineMeaning]>): Entries =>
  [...entries].map(([name, meaning]) => [code(name), meaning])

/** A connector with a table is one more entry here. */
const connectors: ReadonlyArray<readonly [title: string, sources: Sources, entries: Entries]> = [
  ["Stripe", { codes: "https://docs.stripe.com/declines/codes" }, coded(stripe)],
  ["Adyen", { codes: "https://docs.adyen.com/development-resources/refusal-reasons" }, adyen],
  ["Checkout.com", { codes: "https://www.checkout.com/docs/resources/codes/response-codes" }, coded(checkout)],
  [
    "Mollie",
    { codes: "https://docs.mollie.com/docs/handling-errors-with-mollie-components" },
    coded(Object.entries(mollie))
  ],
  [
    "PayPal",
    {
      "issues of an order": "https://developer.paypal.com/api/rest/reference/orders/v2/errors/",
      "codes of the card processor":
        "https://github.com/paypal/PayPal-Ruby-Server-SDK/blob/main/lib/paypal_server_sdk/models/processor_response_code.rb"
    },
    coded(paypal)
  ]
]

const linked = (sources: Sources): string =>
  Object.entries(sources)
    .map(([what, address]) => `[${what}](${address})`)
    .join(" and ")

/** Codes of the provider that mean the same share a row. */
const rowsOf = (entries: Entries): ReadonlyArray<ReadonlyArray<string>> =>
  [...Map.groupBy(entries, ([, { normalized, soft }]) => `${code(normalized)}${soft ? ", soft" : ""}`)]
    .map(([meaning, all]) => [meaning, all.map(([name]) => name).join(", ")] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

const always = "do_not_retry"

/** The codes of each category, with a mark at those that are never retried; the advice of the others is the same. */
const categoryRows = (): ReadonlyArray<ReadonlyArray<string>> => {
  const marked = (name: (typeof declineCodes)[number]): string => {
    const advice = [adviceOf({ code: name, isSoft: true }), adviceOf({ code: name, isSoft: false })].join()
    if (advice !== `${always},${always}` && advice !== "retry_later,use_another_method") {
      throw new Error(`the advice of ${name} is neither ${always} nor what the page says`)
    }
    return advice.startsWith(always) ? `${code(name)} †` : code(name)
  }
  return [...Map.groupBy(declineCodes, categoryOfDecline)].map(([category, names]) => [
    code(category),
    names.map(marked).join(", ")
  ])
}

export const declinesPage = (): string =>
  `${[
    "<!-- Generated from packages/core/src/model/Decline.ts and packages/connectors/*/src/Declines.ts by `npm run generate`. Change the tables, not this page. -->",
    "# What a decline means",
    "A declined payment and each declined attempt have an object `decline`, in answers and in the data of " +
      "`payment.declined`: `category` and `code` are the same for all providers, `provider_code` is the provider's own, and " +
      "`advice` says what to do.",
    table(
      ["Advice", "What to do"],
      [
        [code("retry_later"), "The same method may succeed later. Pointsman does not try again by itself."],
        [
          code("use_another_method"),
          "Do not charge the same method again as it is. The customer can correct or confirm it, or pay with another."
        ],
        [
          code("do_not_retry"),
          "Do not charge for this order again: fraud, a card that is lost or stolen, a consent that was withdrawn, a request that is wrong by itself, or a charge whose money the issuer may hold."
        ]
      ]
    ),
    "A decline is soft if another connection may fare better: mode `failover` tries one. " +
      "A code that is in no table is `other`, and hard. Sandbox payments, connectors over the provider protocol " +
      "and your own connectors state a category, which is then also the code.",
    "## Codes",
    table(["Category", "Codes"], categoryRows()),
    `The advice of a code with † is ${code(always)}; of the others, ${code("retry_later")} if the decline is soft and ${code("use_another_method")} if it is hard.`,
    ...connectors.flatMap(([title, sources, entries]) => [
      `## ${title}`,
      `The provider's own description: ${linked(sources)}.`,
      table(["Code", `${title}'s codes`], rowsOf(entries))
    ])
  ].join("\n\n")}\n`
