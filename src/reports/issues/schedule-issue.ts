/** The issue on which people see and steer what a schedule starts. */
export function renderScheduleIssue(campaign: string): { readonly title: string; readonly body: string } {
  return {
    title: `Loreley: scheduled campaigns of ${campaign}`,
    body: [
      `The schedule of \`${campaign}\` in \`.loreley.yml\` starts campaigns. Each shows here where it stands.`,
      '',
      'Commands such as `/loreley resume` go to the latest of them; `/loreley help` lists all. Closing this issue pauses the one that is under way.',
    ].join('\n'),
  }
}
