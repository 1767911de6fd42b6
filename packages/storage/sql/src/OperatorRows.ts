/** How operators, their sessions and links are stored. */
import type { Operator, OperatorSession, SignInLink } from "@pointsman/core"
import { loginKey } from "@pointsman/core/internal"
import type { GuessCount, SignedIn } from "@pointsman/core/ports"
import { type Columns, type Parts, type Row, readJson } from "./Columns.ts"

export const makeOperatorRows = <V>({
  bindBoolean,
  bindText,
  bindTextOrNull,
  readBoolean,
  readText,
  readTextOrNull
}: Parts<V>) => {
  const operatorColumns: Columns<Operator, V> = {
    id: ({ id }) => bindText(id),
    login: ({ login }) => bindText(login),
    login_key: ({ login }) => bindText(loginKey(login)),
    display_name: ({ displayName }) => bindText(displayName),
    active: ({ active }) => bindBoolean(active),
    grants: ({ grants }) => JSON.stringify(grants),
    password_hash: ({ passwordHash }) => bindTextOrNull(passwordHash),
    version: ({ version }) => version,
    created_at: ({ createdAt }) => createdAt
  }
  const readOperator = (row: Row): Operator => ({
    id: readText(row["id"]),
    login: readText(row["login"]),
    displayName: readText(row["display_name"]),
    active: readBoolean(row["active"]),
    grants: readJson<Operator["grants"]>(row["grants"]),
    passwordHash: readTextOrNull(row["password_hash"]),
    version: Number(row["version"]),
    createdAt: Number(row["created_at"])
  })
  /** None of its names is one of an operator's: both are read as one row. */
  const sessionColumns: Columns<OperatorSession, V> = {
    hash: ({ hash }) => hash,
    operator_id: ({ operatorId }) => bindText(operatorId),
    method: ({ method }) => method,
    signed_in_at: ({ createdAt }) => createdAt,
    seen_at: ({ seenAt }) => seenAt
  }
  const readSession = (row: Row): OperatorSession => ({
    hash: readText(row["hash"]),
    operatorId: readText(row["operator_id"]),
    method: row["method"] as OperatorSession["method"],
    createdAt: Number(row["signed_in_at"]),
    seenAt: Number(row["seen_at"])
  })
  const readSignedIn = (row: Row): SignedIn => ({ session: readSession(row), operator: readOperator(row) })
  const linkColumns: Columns<SignInLink, V> = {
    hash: ({ hash }) => hash,
    operator_id: ({ operatorId }) => bindText(operatorId),
    created_at: ({ createdAt }) => createdAt,
    expires_at: ({ expiresAt }) => expiresAt
  }
  const readLink = (row: Row): SignInLink => ({
    hash: readText(row["hash"]),
    operatorId: readText(row["operator_id"]),
    createdAt: Number(row["created_at"]),
    expiresAt: Number(row["expires_at"])
  })
  const readGuesses = (row: Row): GuessCount => ({ since: Number(row["since"]), count: Number(row["count"]) })
  return {
    operatorColumns,
    readOperator,
    sessionColumns,
    readSession,
    readSignedIn,
    linkColumns,
    readLink,
    readGuesses
  }
}
