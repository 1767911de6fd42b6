/** Signs webhooks by Adyen's own library: by other means than the connector verifies. */
import { hmacValidator } from "@adyen/api-library"
import { envelope, hmacKey, type Item, whole } from "./Adyen.ts"

const validator = new hmacValidator()

/** The item with its signature; what the library is given is what stands on the wire. */
export const signedItem = (item: Item, key = hmacKey) => {
  const plain = whole(item)
  const hmacSignature = validator.calculateHmac(JSON.parse(JSON.stringify(plain)), key)
  return { ...plain, additionalData: { ...plain.additionalData, hmacSignature } }
}

export const signed = (item: Item, key = hmacKey) => ({ headers: {}, body: envelope(signedItem(item, key)) })
