/** The states of a delivery. */
export const deliveryStates = ['due', 'delivered', 'failed'] as const;

export type DeliveryState = (typeof deliveryStates)[number];
