/** The smallest valid file. */
export const SMALLEST = `goal: Make parsing faster.
scope: { editable: ["src/**"] }
evaluation: { command: node bench.mjs }
objectives:
  - { metric: ops_per_s, direction: maximize }
`
