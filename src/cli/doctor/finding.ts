/** One thing that was looked at. What is not in order says what to do. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly next?: string;
}

export const fine = (name: string, detail: string): Finding => ({ name, ok: true, detail });
export const wrong = (name: string, detail: string, next: string): Finding => ({ name, ok: false, detail, next });
