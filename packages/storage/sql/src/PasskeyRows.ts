/** How passkeys of operators, and the challenges that they sign, are stored. */
import type { Passkey, PasskeyChallenge } from "@pointsman/core"
import type { Parts } from "./Columns.ts"
import { json, plain, recordOf } from "./Fields.ts"

export const makePasskeyRows = <V>({ text, textOrNull }: Parts<V>) => ({
  passkey: recordOf<Passkey, V>({
    id: text,
    operator_id: text,
    name: text,
    public_key: plain(),
    counter: plain(),
    transports: json(),
    created_at: plain(),
    used_at: plain()
  }),
  challenge: recordOf<PasskeyChallenge, V>({ hash: plain(), operator_id: textOrNull, expires_at: plain() })
})
