/** What is used of undici. A bundle has no names of a CommonJS package that is loaded when it is needed, but has those of this. */
export { Agent, buildConnector } from "undici"
