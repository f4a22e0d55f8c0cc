import { type ApiClient, expectDone, type GraphqlCall, type Outcome, type RestCall } from './api-client.ts'

/** A repository by all its names. The id stays when it is renamed or transferred. */
export interface RepositoryRef {
  readonly owner: string
  readonly repo: string
  readonly id: number
  readonly nodeId: string
}

/** The API of one repository. Routes are written in full, so that they can be searched for. */
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

  /** Sends a request that has to succeed. */
  async get<T>(call: RestCall<T>): Promise<T> {
    return expectDone(call.route, await this.ask(call))
  }

  /** Sends a GraphQL request; the variables `$owner` and `$repo` are given. */
  async query<T>(call: GraphqlCall<T>): Promise<Outcome<T>> {
    const { owner, repo } = this.repository
    return await this.#client.query({ ...call, variables: { owner, repo, ...call.variables } })
  }
}
