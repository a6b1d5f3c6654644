import tseslint from 'typescript-eslint';
import { restrictedImports } from './test/layers.ts';

const strictSyntax = [
  { selector: 'ImportExpression', message: 'Dynamic import() hides a dependency from the import table.' },
  { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' },
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that has it.' },
  { selector: "MemberExpression[object.name=/^(describe|it|context|suite|test)$/][property.name='only']", message: 'A lone test must not be committed.' },
];

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'dist-test/', '.cache/', '.vscode-test/', 'test/fixtures/'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'complexity': ['error', 15],
      'eqeqeq': 'error',
      'no-restricted-syntax': ['error', ...strictSyntax],
      'no-var': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['test/**/*.ts', 'scripts/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  { files: ['src/**/*.ts', 'media/**/*.{ts,tsx}'], rules: { 'no-console': 'error' } },
  ...restrictedImports().map(({ files, ignores, regex, message }) => ({
    files: [files],
    ignores: [...ignores],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ regex, message }] }] },
  })),
  {
    files: ['test/**/*.ts'],
    ignores: ['test/vscode/**'],
    rules: { 'no-restricted-imports': ['error', { paths: [{ name: 'vscode', message: 'Only tests inside the extension host have it.' }] }] },
  },
  { files: ['**/*.mjs'], languageOptions: { ecmaVersion: 2024, sourceType: 'module' }, rules: { 'prefer-const': 'error', 'no-var': 'error' } },
);
