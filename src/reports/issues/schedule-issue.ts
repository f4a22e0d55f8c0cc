/** The issue on which people follow and steer scheduled campaigns. */
export function renderScheduleIssue(campaign: string): { readonly title: string; readonly body: string } {
  return {
    title: `Loreley: scheduled campaigns of ${campaign}`,
    body: [
      `The schedule of \`${campaign}\` in \`.loreley.yml\` starts campaigns. Each reports its status here.`,
      '',
      'Commands such as `/loreley resume` apply to the latest one; `/loreley help` lists them all. Closing this issue pauses the running campaign.',
    ].join('\n'),
  }
}
