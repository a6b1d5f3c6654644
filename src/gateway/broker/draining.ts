/** Whether the gateway is being replaced: then no new turn is taken and nothing is handed out. */
export interface Draining {
  active: boolean;
}
