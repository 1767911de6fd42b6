import { createHash } from "node:crypto"

/** A key that follows no pattern, as text; the same for the same name. */
export const encryptionKeyOf = (name: string): string => createHash("sha256").update(name).digest("base64")

/** The name of a key in what it encrypted. */
export const keyIdOf = (key: string): string =>
  createHash("sha256").update("pointsman/v2/key-id").update(Buffer.from(key, "base64")).digest("hex").slice(0, 16)
