import { t } from '../l10n.ts';

const CAUSES: Readonly<Record<string, string>> = {
  executor_lost: t('the window that ran it went away'),
  executor_restarted: t('the window that ran it was restarted'),
  executor_replaced: t('another window took the session over'),
  gateway_restarted: t('the gateway was restarted'),
  cancel_unconfirmed: t('the agent did not confirm that it stopped'),
  execution_unavailable: t('the agent ended or could not be started'),
  stale_goal_instance: t('its goal was retired or recreated'),
  goal_retired: t('the goal was retired'),
  goal_recreated: t('the goal was recreated'),
  session_queue_expired: t('it waited for an hour'),
  session_closed: t('the session was closed'),
  agent_error: t('the agent reported an error'),
  host_cut_off: t('the link to the gateway was lost'),
  overloaded: t('the agent wrote more than could be stored'),
  store_unreadable: t('it cannot be read any more'),
  agent_authentication_required: t('the agent needs you to sign in'),
  turn_cancelled: t('the turn was stopped'),
  cancelled: t('the turn was stopped'),
  turn_ended: t('the turn ended'),
  turn_completed: t('the turn ended'),
  turn_failed: t('the turn failed'),
  turn_interrupted: t('the turn was interrupted'),
  agent_withdrew: t('the agent took it back'),
};

/** Why something ended, as a part of a sentence. */
export const inWords = (cause: string): string => knownWords(cause) ?? cause.replaceAll('_', ' ');

/** Null where there are none: a refusal's own sentence, which stands beside it, says it better than its code. */
export const knownWords = (cause: string): string | null => CAUSES[cause] ?? null;
