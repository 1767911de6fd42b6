/** How passkeys and their challenges are stored. */
import type { Passkey, PasskeyChallenge } from "@pointsman/core"
import { type Columns, type Parts, type Row, readJson } from "./Columns.ts"

export const makePasskeyRows = <V>({ bindText, bindTextOrNull, readText, readTextOrNull }: Parts<V>) => {
  const passkeyColumns: Columns<Passkey, V> = {
    id: ({ id }) => bindText(id),
    operator_id: ({ operatorId }) => bindText(operatorId),
    name: ({ name }) => bindText(name),
    public_key: ({ publicKey }) => publicKey,
    counter: ({ counter }) => counter,
    transports: ({ transports }) => JSON.stringify(transports),
    created_at: ({ createdAt }) => createdAt,
    used_at: ({ usedAt }) => usedAt
  }
  const readPasskey = (row: Row): Passkey => ({
    id: readText(row["id"]),
    operatorId: readText(row["operator_id"]),
    name: readText(row["name"]),
    publicKey: readText(row["public_key"]),
    counter: Number(row["counter"]),
    transports: readJson<Passkey["transports"]>(row["transports"]),
    createdAt: Number(row["created_at"]),
    usedAt: row["used_at"] === null ? null : Number(row["used_at"])
  })
  const challengeColumns: Columns<PasskeyChallenge, V> = {
    hash: ({ hash }) => hash,
    operator_id: ({ operatorId }) => bindTextOrNull(operatorId),
    expires_at: ({ expiresAt }) => expiresAt
  }
  const readChallenge = (row: Row): PasskeyChallenge => ({
    hash: readText(row["hash"]),
    operatorId: readTextOrNull(row["operator_id"]),
    expiresAt: Number(row["expires_at"])
  })
  return { passkeyColumns, readPasskey, challengeColumns, readChallenge }
}
