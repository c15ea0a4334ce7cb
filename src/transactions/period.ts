/** The periods by which transactions are summed up. */
export const periods = ['day', 'week', 'month'] as const;
export type Period = (typeof periods)[number];
