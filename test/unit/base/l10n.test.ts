import assert from 'node:assert/strict';
import { asSentence, inOneLine, speak, t, told } from '../../../src/base/l10n.ts';

const WORDS = {
  '{0} of {1}': '共 {1} 个，第 {0} 个',
  'Stopped.': '已停止。',
  'The file is read-only.': '该文件为只读。',
  '{0} is read-only.': '{0} 为只读。',
  '{0} may not be used: {1}.': '不能使用 {0}：{1}。',
  '{0} may not be used: a link in it leads out of the folder {1}.': '不能使用 {0}：其中的链接指向文件夹 {1} 之外。',
  'it was deleted': '它已被删除',
  'Look again.': '请再次查看。',
  'It did this: {0}.': '它做了这件事：{0}。',
};

describe('texts in the display language', () => {
  afterEach(() => speak({}));

  it('are English until a language is chosen, and where a text is not known', () => {
    assert.equal(t('{0} of {1}', 2, 3), '2 of 3');
    speak(WORDS);
    assert.equal(t('{0} of {1}', 2, 3), '共 3 个，第 2 个');
    assert.equal(t('No such text: {0}', 'x'), 'No such text: x');
    assert.equal(t('toString'), 'toString');
  });

  it('take their parameters as they are', () => {
    speak(WORDS);
    assert.equal(t('{0} of {1}', '{1}', '$&'), '共 $& 个，第 {1} 个');
    assert.equal(t('{0} and {5}', 1), '1 and {5}');
  });

  it('are known again by their English words', () => {
    speak(WORDS);
    assert.equal(told('The file is read-only.'), '该文件为只读。');
    assert.equal(told('src/a b.ts is read-only.'), 'src/a b.ts 为只读。');
    assert.equal(told('a(1).ts may not be used: it was deleted.'), '不能使用 a(1).ts：它已被删除。');
    assert.equal(told('x may not be used: a link in it leads out of the folder /w.'), '不能使用 x：其中的链接指向文件夹 /w 之外。');
    assert.equal(told('Nobody knows this.'), 'Nobody knows this.');
  });

  it('are known one after the other, too, and what is in between stays', () => {
    speak(WORDS);
    assert.equal(told('Stopped. Look again.'), '已停止。请再次查看。');
    assert.equal(told('Stopped. What is this? Look again.'), '已停止。What is this? Look again.');
    assert.equal(told(told('Stopped. Look again.')), '已停止。请再次查看。');
    assert.equal(told('It did this: Edit a.md. Look again.'), '它做了这件事：Edit a.md。请再次查看。');
    assert.equal(told('It did this: Edit a.md. What else?.'), '它做了这件事：Edit a.md. What else?。');
    assert.deepEqual(['', 'One', 'One.', 'Why?', '“One.”', 'x (y)', '一。'].map(asSentence), ['', 'One.', 'One.', 'Why?', '“One.”', 'x (y).', '一。']);
    assert.equal(inOneLine('One.', '', 'Two.', '三。', '四。'), 'One. Two. 三。四。');
  });

  it('cost little where a long text is none of them', () => {
    speak(WORDS);
    const long = 'a is b. '.repeat(20_000);
    const before = process.cpuUsage().user;
    assert.equal(told(long), long);
    assert.ok(process.cpuUsage().user - before < 5_000_000);
  });
});
