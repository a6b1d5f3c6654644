import { startEditor } from '../test/e2e/support/editor.ts';
import { type ThemeName, themes } from '../test/support/vscodeHost/settings.ts';

/** Drives one turn in a headless VS Code, as a person would, and saves what it looks like. */
export async function smoke(theme: ThemeName): Promise<void> {
  console.log('[start] starting VS Code without a screen...');
  const editor = await startEditor({ open: 'workspace', settings: { 'workbench.colorTheme': themes[theme] } });
  try {
    await editor.workbench.openFile('cart.ts');
    const chat = await editor.openChat();
    await editor.workbench.resizeSideBar(460);
    console.log('[start] sending /help to the offline agent...');
    const composer = chat.getByRole('textbox', { name: 'Message' });
    await composer.fill('/help');
    await composer.press('Enter');
    await chat.locator('[data-kind="agent_message"][data-state="completed"]').first().waitFor({ timeout: 60_000 });
    console.log(`[start] answered; screenshot: ${await editor.workbench.screenshot(`smoke-${theme}`)}`);
  } catch (error) {
    console.error(`[start] failed; screenshot: ${await editor.workbench.screenshot(`smoke-${theme}-failed`)}`);
    throw error;
  } finally {
    await editor.stop();
  }
}
