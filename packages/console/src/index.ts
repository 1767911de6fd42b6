/** The console: a dashboard for people who work with payments, and its API. */
export { accessOf } from "./api/ConsoleApi.ts"
export { type Console, type ConsoleOptions, type From, make, maxBodyBytes } from "./Console.ts"
export type { Access } from "./gate/Access.ts"
export { mountExpected, parseMount, pathUnder } from "./gate/Settings.ts"
export type { OidcOptions } from "./oidc/OidcClient.ts"
