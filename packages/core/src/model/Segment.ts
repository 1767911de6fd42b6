import type { PaymentDetails } from "./Payment.ts"

/** What a rate is of besides the connection: currency, country, method and card brand (`EUR NL card visa`). */
export const segmentOf = ({ cardBrand, country, method, money }: PaymentDetails): string =>
  [money.currency, country, method, cardBrand?.trim().toLowerCase() ?? "-"].join(" ")
