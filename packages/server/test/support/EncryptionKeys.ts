import { createHash } from "node:crypto"

/** A key that follows no pattern, as text; the same for the same name. */
export const encryptionKeyOf = (name: string): string => createHash("sha256").update(name).digest("base64")
