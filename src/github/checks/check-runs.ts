import * as z from 'zod'
import type { Outcome } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

/** A remark about a line of a file. */
export interface CheckAnnotation {
  readonly path: string
  readonly line: number
  readonly column?: number
  readonly level: 'notice' | 'warning' | 'failure'
  readonly title: string
  readonly message: string
}

/** A button of a check run. GitHub allows three; more are dropped. */
export interface CheckButton {
  readonly label: string
  readonly description: string
  readonly identifier: string
}

/** What a check run shows. Long texts are cut to GitHub's limits. */
export interface CheckReport {
  readonly name: string
  readonly sha: string
  /** Identifies the check run: the candidate's id. */
  readonly externalId: string
  readonly detailsUrl?: string
  /** Undefined while it is running. */
  readonly conclusion?: 'success' | 'neutral' | 'failure' | 'action_required' | 'cancelled' | 'skipped'
  readonly title: string
  readonly summary: string
  readonly text?: string
  readonly annotations?: readonly CheckAnnotation[]
  readonly buttons?: readonly CheckButton[]
}

const TEXT_BYTES = 65_535
const TITLE_CHARACTERS = 255
const ANNOTATIONS = 50
const MOST_ANNOTATIONS = 500
const BUTTONS = 3

const checkAnswer = z.object({ id: z.number() })
const checkList = z.object({
  check_runs: z.array(
    z.object({
      id: z.number(),
      node_id: z.string(),
      external_id: z.string().nullish(),
      output: z.object({ text: z.string().nullish() }).optional(),
    }),
  ),
})

/** An existing check run with the text below its summary. */
export interface KnownCheck {
  readonly id: number
  /** Its id in GraphQL. */
  readonly nodeId: string
  readonly text: string
}

/** Creates a check run, or updates `known`, and returns its id. */
export async function putCheck(api: RepositoryApi, report: CheckReport, known?: number): Promise<number> {
  const [first = [], ...more] = pagesOf(report.annotations ?? [])
  const id = await send(api, report, { first, known })
  for (const annotations of more) {
    await api.get({
      route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
      parameters: {
        check_run_id: id,
        output: { ...outputOf(report), annotations: annotations.map(annotationOf) },
      },
      answer: checkAnswer,
      priority: 'report',
    })
  }
  return id
}

/** The newest check run of a commit with this name and external id; undefined when there is none. */
export async function findCheck(
  api: RepositoryApi,
  { sha, name, externalId }: Pick<CheckReport, 'sha' | 'name' | 'externalId'>,
): Promise<KnownCheck | undefined> {
  const { check_runs: found } = await api.get({
    route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
    parameters: { ref: sha, check_name: name, filter: 'all', per_page: 100 },
    answer: checkList,
    priority: 'report',
  })
  const check = found.find((each) => each.external_id === externalId)
  return check && { id: check.id, nodeId: check.node_id, text: check.output?.text ?? '' }
}

async function send(
  api: RepositoryApi,
  report: CheckReport,
  { first, known }: { readonly first: readonly CheckAnnotation[]; readonly known: number | undefined },
): Promise<number> {
  const body = bodyOf(report, first)
  if (known !== undefined) {
    const renewed = await patch(api, known, body)
    if (renewed.status === 'done') return renewed.value.id
  }
  const made = await post(api, report, body)
  if (made.status === 'done') return made.value.id
  // It may exist although the answer was lost.
  const found = made.status === 'unsure' ? await findCheck(api, report) : undefined
  return found?.id ?? (await api.get(postCall(report, body))).id
}

async function patch(api: RepositoryApi, id: number, body: object): Promise<Outcome<{ id: number }>> {
  return await api.ask({
    route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
    parameters: { check_run_id: id, ...body },
    answer: checkAnswer,
    priority: 'report',
    repeatable: true,
  })
}

async function post(api: RepositoryApi, report: CheckReport, body: object): Promise<Outcome<{ id: number }>> {
  return await api.ask(postCall(report, body))
}

function postCall({ sha }: CheckReport, body: object) {
  return {
    route: 'POST /repos/{owner}/{repo}/check-runs',
    parameters: { head_sha: sha, ...body },
    answer: checkAnswer,
    priority: 'report',
  } as const
}

function bodyOf(report: CheckReport, annotations: readonly CheckAnnotation[]) {
  const { name, externalId, detailsUrl, conclusion } = report
  return {
    name,
    external_id: externalId,
    ...(detailsUrl === undefined ? {} : { details_url: detailsUrl }),
    ...(conclusion === undefined ? { status: 'in_progress' } : { status: 'completed', conclusion }),
    output: { ...outputOf(report), annotations: annotations.map(annotationOf) },
    actions: buttonsOf(report),
  }
}

/** The buttons of a check run within GitHub's limits. */
export function buttonsOf({ buttons = [] }: CheckReport) {
  return buttons.slice(0, BUTTONS).map(({ label, description, identifier }) => ({
    label: label.slice(0, 20),
    description: description.slice(0, 40),
    identifier: identifier.slice(0, 20),
  }))
}

/** The texts of a check run within GitHub's limits. */
export function outputOf({ title, summary, text }: CheckReport) {
  return {
    title: title.slice(0, TITLE_CHARACTERS),
    summary: fitBytes(summary),
    ...(text === undefined ? {} : { text: fitBytes(text) }),
  }
}

function annotationOf({ path, line, column, level, title, message }: CheckAnnotation) {
  return {
    path,
    start_line: line,
    end_line: line,
    ...(column === undefined ? {} : { start_column: column, end_column: column }),
    annotation_level: level,
    title: title.slice(0, TITLE_CHARACTERS),
    message: fitBytes(message),
  }
}

function pagesOf(annotations: readonly CheckAnnotation[]): (readonly CheckAnnotation[])[] {
  const shown = annotations.slice(0, MOST_ANNOTATIONS)
  const pages = Math.ceil(shown.length / ANNOTATIONS)
  return Array.from({ length: pages }, (_, page) => shown.slice(page * ANNOTATIONS, (page + 1) * ANNOTATIONS))
}

/** Cuts a text to a number of bytes without splitting a character. */
export function fitBytes(text: string, most = TEXT_BYTES): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  const mark = '\n\n…'
  return `${new TextDecoder().decode(bytes.subarray(0, most - Buffer.byteLength(mark) - 3)).replace(/\ufffd+$/, '')}${mark}`
}
