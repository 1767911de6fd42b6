/** The tables of operators, their sessions and sign-in links, and of how often sign-in was tried. Grants are JSON. */

export const operatorTables = [
  `create table operators (
    id text not null primary key,
    login any not null,
    login_key any not null unique,
    display_name any not null,
    active integer not null check (active in (0, 1)),
    grants text not null,
    password_hash text,
    version integer not null check (version > 0),
    created_at integer not null
  ) strict`,
  `create table operator_sessions (
    hash text not null primary key,
    operator_id text not null references operators,
    method text not null,
    signed_in_at integer not null,
    seen_at integer not null
  ) strict, without rowid`,
  "create index operator_sessions_by_operator on operator_sessions (operator_id)",
  `create table sign_in_links (
    hash text not null primary key,
    operator_id text not null references operators,
    created_at integer not null,
    expires_at integer not null
  ) strict, without rowid`,
  "create index sign_in_links_by_operator on sign_in_links (operator_id)",
  `create table sign_in_guesses (
    key text not null primary key,
    since integer not null,
    count integer not null check (count > 0)
  ) strict, without rowid`,
  "create index sign_in_guesses_by_time on sign_in_guesses (since)"
]
