/** The state branch's front page: what this branch is, and its campaigns. */
export function renderCampaignList(campaigns: readonly string[]): string {
  const links = campaigns.map((id) => `- [${id}](campaigns/${id}/README.md)`)
  return `# Loreley

This branch is the memory of Loreley's campaigns: what was tried, measured and kept. Programs write it;
please do not edit it by hand. Elites are the branches under \`loreley/elite/\`.

${links.join('\n')}
`
}
