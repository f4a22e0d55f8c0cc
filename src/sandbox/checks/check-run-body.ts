import type { Box } from '../box.ts'
import { isoTime } from '../format.ts'
import { ApiError, validationFailed } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import {
  type Annotation,
  type CheckAction,
  type CheckImage,
  type CheckRun,
  type CheckStatus,
  CONCLUSIONS,
} from './checks.ts'

const MAX_TEXT_BYTES = 65_535
const MAX_ANNOTATIONS = 50
const MAX_ACTIONS = 3

type Changing = Omit<CheckRun, 'id' | 'repositoryId' | 'suiteId' | 'appId' | 'headSha'>

/** A new check run without any content. */
export function blankRun(box: Box): Changing {
  return {
    name: '',
    externalId: '',
    detailsUrl: null,
    status: 'queued',
    conclusion: null,
    startedAt: isoTime(box.now()),
    completedAt: null,
    output: { title: null, summary: null, text: null, images: [] },
    actions: [],
  }
}

/** Applies the body of a create or update request. Missing fields stay unchanged. */
export function applyBody<Run extends Changing>(box: Box, run: Run, body: Fields): Run {
  const output = body.findObject('output')
  assertTexts(output)
  return {
    ...run,
    name: body.findText('name') ?? run.name,
    externalId: body.findText('external_id') ?? run.externalId,
    detailsUrl: body.findText('details_url') ?? run.detailsUrl,
    startedAt: readTime(body, 'started_at') ?? run.startedAt,
    ...readState(box, run, body),
    output: {
      title: output?.findText('title') ?? run.output.title,
      summary: output?.findText('summary') ?? run.output.summary,
      text: output?.findText('text') ?? run.output.text,
      images: output?.has('images') ? output.objects('images').map(readImage) : run.output.images,
    },
    actions: body.has('actions') ? readActions(body) : run.actions,
  }
}

function readState(
  box: Box,
  run: Changing,
  body: Fields,
): Pick<CheckRun, 'status' | 'conclusion' | 'completedAt'> {
  const given = body.findText('conclusion')
  const conclusion = CONCLUSIONS.find((one) => one === given) ?? null
  // GitHub's description lists `stale`, but only GitHub may set it.
  if (given !== undefined && conclusion === null) throw invalid('conclusion')
  const status = readStatus(body) ?? run.status
  if (conclusion === null && status !== 'completed') return { status, conclusion: null, completedAt: null }
  const final = conclusion ?? run.conclusion
  if (final === null) throw invalid('conclusion')
  const completedAt = readTime(body, 'completed_at') ?? run.completedAt ?? isoTime(box.now())
  // A conclusion completes the run, whatever the given status.
  return { status: 'completed', conclusion: final, completedAt }
}

function readStatus(body: Fields): CheckStatus | undefined {
  const given = body.findText('status')
  if (given === undefined) return undefined
  const status = (['queued', 'in_progress', 'completed'] as const).find((one) => one === given)
  // The other statuses are reserved for GitHub Actions.
  if (status === undefined) throw invalid('status')
  return status
}

function readTime(body: Fields, name: string): string | undefined {
  const text = body.findText(name)
  return text === undefined ? undefined : isoTime(new Date(text))
}

// The description counts characters; GitHub counts bytes.
function assertTexts(output: Fields | undefined): void {
  for (const field of ['summary', 'text']) {
    if (Buffer.byteLength(output?.findText(field) ?? '') > MAX_TEXT_BYTES) {
      throw new ApiError(422, `Invalid request.\n\n${field} exceeds a maximum bytesize of ${MAX_TEXT_BYTES}.`)
    }
  }
}

function readActions(body: Fields): CheckAction[] {
  const given = body.objects('actions')
  if (given.length > MAX_ACTIONS) throw invalid('actions')
  return given.map((action) => ({
    label: action.text('label'),
    description: action.text('description'),
    identifier: action.text('identifier'),
  }))
}

function readImage(image: Fields): CheckImage {
  return {
    alt: image.text('alt'),
    url: image.text('image_url'),
    caption: image.findText('caption') ?? null,
  }
}

/** The annotations of a create or update request. Earlier annotations are kept. */
export function readAnnotations(body: Fields): Annotation[] {
  const given = body.findObject('output')?.objects('annotations') ?? []
  if (given.length > MAX_ANNOTATIONS) throw invalid('annotations')
  return given.map((annotation) => {
    const [startLine, endLine] = [annotation.number('start_line'), annotation.number('end_line')]
    const startColumn = annotation.findNumber('start_column') ?? null
    const endColumn = annotation.findNumber('end_column') ?? null
    const spans = startLine !== endLine && (startColumn !== null || endColumn !== null)
    if (endLine < startLine || spans) throw invalid('annotations')
    return {
      path: annotation.text('path'),
      startLine,
      endLine,
      startColumn,
      endColumn,
      level: annotation.text('annotation_level'),
      title: annotation.findText('title') ?? null,
      message: annotation.text('message'),
      rawDetails: annotation.findText('raw_details') ?? null,
    }
  })
}

function invalid(field: string): ApiError {
  return validationFailed({ resource: 'CheckRun', field, code: 'invalid' })
}
