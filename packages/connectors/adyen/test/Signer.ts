/** Signs webhooks by Adyen's own library: by other means than the connector verifies. */
import { createRequire } from "node:module"
import { envelope, hmacKey, type Item, whole } from "./Adyen.ts"

/** This one file: the whole library takes seconds to load. */
const file = "@adyen/api-library/lib/src/utils/hmacValidator.js"
const { default: HmacValidator }: typeof import("@adyen/api-library/lib/src/utils/hmacValidator.js") = createRequire(
  import.meta.url
)(file)
const validator = new HmacValidator()

/** The item with its signature; the library gets what is on the wire. */
export const signedItem = (item: Item, key = hmacKey) => {
  const plain = whole(item)
  const hmacSignature = validator.calculateHmac(JSON.parse(JSON.stringify(plain)), key)
  return { ...plain, additionalData: { ...plain.additionalData, hmacSignature } }
}

export const signed = (item: Item, key = hmacKey) => ({ headers: {}, body: envelope(signedItem(item, key)) })
