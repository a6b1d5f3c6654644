// OSC, DCS, PM, APC and SOS strings up to their end; CSI sequences; two-character escapes.
const ESCAPES = /\u001B[\]PX^_][^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|\u001B[ -/]*[0-~]?/g;

/** Terminal output as it would stand on the screen: escapes gone, each line as its last carriage return left it. */
export function terminalText(text: string): string {
  const plain = text.replaceAll(ESCAPES, '').replaceAll('\r\n', '\n');
  if (!/[\r\b]/.test(plain)) return plain;
  return plain.split('\n').map(settleLine).join('\n');
}

function settleLine(line: string): string {
  let shown = '';
  for (const part of line.split('\r')) {
    const clean = applyBackspaces(part);
    shown = clean + shown.slice(clean.length);
  }
  return shown;
}

function applyBackspaces(text: string): string {
  if (!text.includes('\b')) return text;
  const kept: string[] = [];
  for (const character of text) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
