/** The page of the payment methods by name, from the list of core and the declarations of the connectors. */
import { kindOfMethod, type PaymentMethodName, paymentMethodNames } from "@pointsman/core"
import type { ProviderMethods } from "@pointsman/core/connector"
import { namedMethods as adyen } from "../../packages/connectors/adyen/src/Requests.ts"
import { namedMethods as checkout } from "../../packages/connectors/checkout/src/Requests.ts"
import { namedMethods as mollie } from "../../packages/connectors/mollie/src/Requests.ts"
import { namedMethods as paypal } from "../../packages/connectors/paypal/src/Requests.ts"
import { namedMethods as stripe } from "../../packages/connectors/stripe/src/Requests.ts"
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

/** The provider's name, the currencies where they are limited, and `†` where the method is captured at once. */
const cellOf = (methods: ProviderMethods, name: PaymentMethodName): string => {
  const method = methods[name]
  if (method === undefined) return ""
  const currencies = method.currencies === undefined ? "" : `: ${method.currencies.join(", ")}`
  return `${code(method.providerName)}${method.manualCapture === false ? " †" : ""}${currencies}`
}

export const paymentMethodsPage = (): string =>
  `${[
    "<!-- Generated from packages/core/src/model/PaymentMethod.ts and packages/connectors/*/src/Requests.ts by `npm run generate`. Change the lists, not this page. -->",
    "# Payment methods",
    "`payment_method` of a create names one method. Only connections that declare it take the payment; the others are excluded " +
      "as `METHOD_NOT_SUPPORTED`. A hosted payment opens the provider's page for that method only. For a direct charge, the " +
      "token decides what is charged; the name is recorded and decides the route. `method` is its kind, and may be left out.",
    "Rules, restrictions and limits of a connection can name methods too: " +
      "[`paymentMethod` and `supports.paymentMethods`](../guides/configuration.md#a-connection). A method must also be " +
      "activated in the provider's account: where it is not, the provider refuses the page.",
    table(
      ["Name", "Kind", ...connectors.map(([title]) => title)],
      paymentMethodNames.map((name) => [
        code(name),
        kindOfMethod(name),
        ...connectors.map(([, methods]) => cellOf(methods, name))
      ])
    ),
    "A cell has the provider's name, and the currencies where they are limited. †: no manual capture. The sandbox takes every " +
      "name. PayPal's page takes only `paypal`: its connector takes `card` in direct charges."
  ].join("\n\n")}\n`
