/** The page of the payment methods by name, from the list of core and the declarations of the connectors. */
import { kindOfMethod, type PaymentMethodName, paymentMethodNames } from "@pointsman/core"
import type { ProviderMethods } from "@pointsman/core/connector"
import { namedMethods as adyen } from "../../packages/connectors/adyen/src/NamedMethods.ts"
import { namedMethods as checkout } from "../../packages/connectors/checkout/src/NamedMethods.ts"
import { namedMethods as mollie } from "../../packages/connectors/mollie/src/NamedMethods.ts"
import { namedMethods as paypal } from "../../packages/connectors/paypal/src/NamedMethods.ts"
import { namedMethods as stripe } from "../../packages/connectors/stripe/src/NamedMethods.ts"
import { code, table } from "./Markdown.ts"

export const paymentMethodsPath = "docs/reference/payment-methods.md"

/** A connector that declares methods is one more entry here. */
const connectors: ReadonlyArray<readonly [title: string, methods: ProviderMethods]> = [
  ["Stripe", stripe],
  ["Adyen", adyen],
  ["Checkout.com", checkout],
  ["Mollie", mollie],
  ["PayPal", paypal]
]

const takenBy = (name: PaymentMethodName): string =>
  connectors.flatMap(([title, methods]) => (methods[name] === undefined ? [] : [title])).join(", ") || "-"

const rowsOf = (methods: ProviderMethods): ReadonlyArray<ReadonlyArray<string>> =>
  paymentMethodNames.flatMap((name) => {
    const method = methods[name]
    if (method === undefined) return []
    const currencies = method.currencies?.map(code).join(", ") ?? "any that the connector takes"
    return [[code(name), code(method.providerName), currencies, method.manualCapture === false ? "no" : "yes"]]
  })

export const paymentMethodsPage = (): string =>
  `${[
    "<!-- Generated from packages/core/src/model/PaymentMethod.ts and packages/connectors/*/src/NamedMethods.ts by `npm run generate`. Change the lists, not this page. -->",
    "# Payment methods",
    "`payment_method` of a create names one method. Only connections that declare it take the payment; the others are excluded " +
      "as `METHOD_NOT_SUPPORTED`. A hosted payment opens the provider's page for that method alone. For a direct charge, the " +
      "token decides what is charged; the name is recorded and decides the route. `method` is its kind, and may be left out.",
    "Rules, restrictions and limits of a connection can name methods too: " +
      "[`paymentMethod` and `supports.paymentMethods`](../guides/configuration.md#a-connection). A method must also be " +
      "activated in the provider's account: where it is not, the provider refuses the page.",
    table(
      ["Name", "Kind", "Taken by"],
      paymentMethodNames.map((name) => [code(name), code(kindOfMethod(name)), takenBy(name)])
    ),
    "The sandbox takes every name. PayPal's page takes `paypal` alone: its connector takes `card` in direct charges.",
    ...connectors.flatMap(([title, methods]) => [
      `## ${title}`,
      table(["Name", `${title}'s name`, "Currencies", "Manual capture"], rowsOf(methods))
    ])
  ].join("\n\n")}\n`
