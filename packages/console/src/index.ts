/** The console: a dashboard for people who work with payments, and its API. */
export { type Access, accessOf } from "./Access.ts"
export { type Console, type ConsoleOptions, type From, make } from "./Console.ts"
