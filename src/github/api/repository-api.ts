import { type ApiClient, expectDone, type GraphqlCall, type Outcome, type RestCall } from './api-client.ts'

/** The coordinates of a repository. The id survives renames and transfers. */
export interface RepositoryRef {
  readonly owner: string
  readonly repo: string
  readonly id: number
  readonly nodeId: string
}

/** The API of one repository. Routes are written in full so that they can be found by search. */
export class RepositoryApi {
  readonly repository: RepositoryRef
  readonly #client: ApiClient

  constructor(client: ApiClient, repository: RepositoryRef) {
    this.#client = client
    this.repository = repository
  }

  /** Sends a request; a refusal is a value. */
  async ask<T>(call: RestCall<T>): Promise<Outcome<T>> {
    const { owner, repo } = this.repository
    return await this.#client.ask({ ...call, parameters: { owner, repo, ...call.parameters } })
  }

  /** Sends a request that must succeed. */
  async get<T>(call: RestCall<T>): Promise<T> {
    return expectDone(call.route, await this.ask(call))
  }

  /** Sends a GraphQL request; the variables `$owner` and `$repo` are filled in. */
  async query<T>(call: GraphqlCall<T>): Promise<Outcome<T>> {
    const { owner, repo } = this.repository
    return await this.#client.query({ ...call, variables: { owner, repo, ...call.variables } })
  }
}
