import { displayLocale, t } from '../l10n.ts';
/** "4 s", "1 min 5 s", "2 h 3 min"; never less than a second. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 60) return t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return seconds % 60 === 0 ? t('{0} min', minutes) : t('{0} min {1} s', minutes, seconds % 60);
  return minutes % 60 === 0 ? t('{0} h', hours) : t('{0} h {1} min', hours, minutes % 60);
}

/** A count of many, grouped as the reader's language writes it. */
export const amount = (count: number): string => count.toLocaleString(displayLocale);

const sameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** "14:02", with the date when it is not of today. */
export function clockTime(at: number, now: number, locale = displayLocale): string {
  const date = new Date(at);
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const day: Intl.DateTimeFormatOptions = sameDay(date, new Date(now)) ? {} : { month: 'short', day: 'numeric' };
  return new Intl.DateTimeFormat(locale, { ...day, ...time }).format(date);
}

/** "14 May 2030, 14:02", as the reader's language writes it. */
export const dateAndTime = (at: number, locale = displayLocale): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }).format(at);
