// Each begins only where a run of its first characters does, and says nothing in two ways: the time it takes grows with the text, not with its square.
const nameAndSign = /(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]+)["']?\s*[:=]\s*/g;
const secretName = /key|token|secret|password|passwd|pwd|passphrase|credential|authorization|cookie|(?:^|[_.-])pass(?:$|[_.-])/i;
const value = /(?!["']?(?:bearer|basic)\b)(?:"[^"\n]{1,500}"|'[^'\n]{1,500}'|["']?[^\s"',;&}]+)/iy;
/** Headers whose value goes on behind a blank. */
const wholeValue = /^(?:proxy-)?authorization$|cookie$/i;
const restOfValue = /["']?[^"'\n]{1,500}/y;
const bearer = /\b(bearer)(?:\s|\\ ){1,20}[A-Za-z0-9._~+/=-]+/gi;
const basic = /\b(basic)(?:\s|\\ ){1,20}[A-Za-z0-9._~+/=-]{6,}/gi;
const known = /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|AIza|AKIA|eyJ)[A-Za-z0-9_-]{12,}(?:\.[A-Za-z0-9_-]+)*/g;
const inAddress = /(?<!\w)(\w+:\/\/[^\s/:@]{0,100}:)[^\s/@]+@/g;
/** An address with a token alone, not with a plain name. */
const aloneInAddress = /(?<!\w)(\w+:\/\/)(?=[^\s/:@]{0,100}\d)[^\s/:@]{10,100}@/g;
/** Behind an option whose name tells, as a word of its own. */
const option = /(?<=^|\s)(--?[A-Za-z][A-Za-z0-9-]{0,60})(?:\s{1,20})(?!-)("[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s"';|&]+)/g;
const userOption = /(?<=^|\s)(-u|--user|--proxy-user)([\s=]{1,20}["']?[^\s:"']{1,100}:)[^\s"']+/g;
const short = /(?<=^|\s)-p(?:\s{1,20})?(?!-)[^\s-][^\s]*/g;
const takesShort = /\b(?:mysql\w*|mariadb\w*|sshpass|login)\b/;

/** Shorter ones would be found in words that say something else. */
const MIN_SECRET = 4;

/** Takes out every given value; where one holds another, the longer one as a whole. */
export const withoutValues = (text: string, values: readonly string[]): string =>
  values.filter(({ length }) => length >= MIN_SECRET).sort((a, b) => b.length - a.length).reduce((result, each) => result.replaceAll(each, '[secret]'), text);

/** Takes out what looks like a secret, and every given value. Meant for text that a maintainer or a person may read. */
export function redactSecrets(text: string, values: readonly string[] = []): string {
  const plain = withoutValues(text, values);
  const named = plain
    .replace(inAddress, '$1[secret]@')
    .replace(aloneInAddress, '$1[secret]@')
    .replace(bearer, '$1 [secret]')
    .replace(basic, '$1 [secret]')
    .replace(known, '[secret]')
    .replace(option, (whole, name: string) => (secretName.test(name) ? `${name} [secret]` : whole))
    .replace(userOption, '$1$2[secret]');
  return withoutAssigned(takesShort.test(named) ? named.replace(short, '-p [secret]') : named);
}

/** What stands behind a telling name and a sign of assignment. */
function withoutAssigned(text: string): string {
  let result = '';
  let done = 0;
  nameAndSign.lastIndex = 0;
  for (let found = nameAndSign.exec(text); found !== null; found = nameAndSign.exec(text)) {
    const name = found[1] ?? '';
    if (!secretName.test(name)) continue;
    const taken = wholeValue.test(name) ? restOfValue : value;
    taken.lastIndex = nameAndSign.lastIndex;
    if (!taken.test(text)) continue;
    result += `${text.slice(done, nameAndSign.lastIndex)}[secret]`;
    done = taken.lastIndex;
    nameAndSign.lastIndex = done;
  }
  return result + text.slice(done);
}

/** The values of variables whose names say that they are secret. */
export function secretValues(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).filter(([name]) => /key|token|secret|pass|pwd|credential|auth|cookie|dsn|database_url|connection_string/i.test(name)).map(([, each]) => each);
}

const longBearer = /\b(bearer)(?:\s|\\ ){1,20}(?=[A-Za-z0-9._~+/=-]{0,200}\d)[A-Za-z0-9._~+/=-]{16,}/gi;

/** Takes out only what is a secret by its own form, wherever it stands: code and prose, in which a word such as “key” says nothing, stay as they are. */
export const redactTokens = (text: string): string =>
  text.replace(inAddress, '$1[secret]@').replace(aloneInAddress, '$1[secret]@').replace(longBearer, '$1 [secret]').replace(known, '[secret]');

/** The secrets that `redactSecrets` finds in a command, as they are written there. */
export function secretsIn(command: string): string[] {
  const [first = '', ...rest] = redactSecrets(command).split('[secret]').map((part) => part.trim());
  const found: string[] = [];
  let at = command.indexOf(first) + first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const end = part === '' ? (isLast ? command.length : -1) : command.indexOf(part, at);
    if (end < 0) break;
    found.push(command.slice(at, end).trim().replace(/^["']|["']$/g, ''));
    at = end + part.length;
  }
  return found.filter((secret) => secret !== '');
}
