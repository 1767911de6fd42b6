/** The tables of passkeys and their challenges. Transports are JSON. */

export const passkeyTables = [
  `create table passkeys (
    id any not null primary key,
    operator_id text not null references operators,
    name any not null,
    public_key text not null,
    counter integer not null check (counter >= 0),
    transports text not null,
    created_at integer not null,
    used_at integer
  ) strict`,
  "create index passkeys_by_operator on passkeys (operator_id)",
  `create table passkey_challenges (
    hash text not null primary key,
    operator_id text references operators,
    expires_at integer not null
  ) strict, without rowid`,
  "create index passkey_challenges_by_time on passkey_challenges (expires_at)"
]
