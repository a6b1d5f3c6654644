/** User settings under which VS Code shows and fetches nothing by itself. */
export const quietSettings: Readonly<Record<string, unknown>> = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'window.menuBarVisibility': 'classic',
  'security.workspace.trust.banner': 'never',
  'remote.autoForwardPorts': false,
};

/** VS Code's own name of each theme the product is looked at in. */
export const themes = {
  dark: 'Default Dark Modern',
  light: 'Default Light Modern',
  hc: 'Default High Contrast',
  'hc-light': 'Default High Contrast Light',
} as const;

export type ThemeName = keyof typeof themes;
