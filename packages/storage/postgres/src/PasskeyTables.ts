/** The tables of passkeys and their challenges. Transports are JSON. */

const text = 'text collate "C"'

export const passkeyTables = [
  `create table passkeys (
    id ${text} not null primary key,
    operator_id ${text} not null references operators,
    name ${text} not null,
    public_key ${text} not null,
    counter bigint not null check (counter >= 0),
    transports ${text} not null,
    created_at bigint not null,
    used_at bigint
  )`,
  "create index passkeys_by_operator on passkeys (operator_id)",
  `create table passkey_challenges (
    hash ${text} not null primary key,
    operator_id ${text} references operators,
    expires_at bigint not null
  )`,
  "create index passkey_challenges_by_time on passkey_challenges (expires_at)"
]
