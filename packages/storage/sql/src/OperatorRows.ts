/** How operators, their sessions and links are stored. */
import type { Operator, OperatorSession, SignInLink } from "@pointsman/core"
import { loginKey } from "@pointsman/core/internal"
import type { GuessCount, SignedIn } from "@pointsman/core/ports"
import type { Columns, Parts, Row } from "./Columns.ts"
import { json, plain, recordOf } from "./Fields.ts"

export const makeOperatorRows = <V>({ bindText, flag, text, textOrNull }: Parts<V>) => {
  const operator = recordOf<Operator, V>({
    id: text,
    login: text,
    display_name: text,
    active: flag,
    grants: json(),
    password_hash: textOrNull,
    identity: textOrNull,
    version: plain(),
    created_at: plain()
  })
  const operatorColumns: Columns<Operator, V> = {
    ...operator.columns,
    login_key: ({ login }) => bindText(loginKey(login))
  }
  /** None of its names is one of an operator's: both are read as one row. */
  const session = recordOf<Omit<OperatorSession, "createdAt"> & { readonly signedInAt: number }, V>({
    hash: plain(),
    operator_id: text,
    method: plain(),
    signed_in_at: plain(),
    seen_at: plain()
  })
  const readSession = (row: Row): OperatorSession => {
    const { signedInAt, ...read } = session.read(row)
    return { ...read, createdAt: signedInAt }
  }
  return {
    operatorColumns,
    readOperator: operator.read,
    session,
    readSession,
    readSignedIn: (row: Row): SignedIn => ({ session: readSession(row), operator: operator.read(row) }),
    link: recordOf<SignInLink, V>({ hash: plain(), operator_id: text, created_at: plain(), expires_at: plain() }),
    readGuesses: (row: Row): GuessCount => ({ since: Number(row["since"]), count: Number(row["count"]) })
  }
}
