/** The tables of operators, their sessions and sign-in links, and of how often sign-in was tried. Grants are JSON. */

const text = 'text collate "C"'

export const operatorTables = [
  `create table operators (
    id ${text} not null primary key,
    login ${text} not null,
    login_key ${text} not null unique,
    display_name ${text} not null,
    active boolean not null,
    grants ${text} not null,
    password_hash ${text},
    version bigint not null check (version > 0),
    created_at bigint not null
  )`,
  `create table operator_sessions (
    hash ${text} not null primary key,
    operator_id ${text} not null references operators,
    method ${text} not null,
    signed_in_at bigint not null,
    seen_at bigint not null
  )`,
  "create index operator_sessions_by_operator on operator_sessions (operator_id)",
  `create table sign_in_links (
    hash ${text} not null primary key,
    operator_id ${text} not null references operators,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  "create index sign_in_links_by_operator on sign_in_links (operator_id)",
  `create table sign_in_guesses (
    key ${text} not null primary key,
    since bigint not null,
    count integer not null check (count > 0)
  )`,
  "create index sign_in_guesses_by_time on sign_in_guesses (since)"
]
