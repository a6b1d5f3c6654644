import assert from 'node:assert/strict';
import { decideAdmission } from '../../../src/gateway/admission/decideAdmission.ts';
import type { AdmissionFacts } from '../../../src/gateway/admission/facts.ts';
import { AdmissionTable } from '../../support/admissionTable.ts';
import { casesOf, OPERATIONS } from './support/admissionCases.ts';

const decisionOf = (facts: AdmissionFacts): string => {
  const decision = decideAdmission(facts);
  return 'reject' in decision ? decision.reject : `allow ${decision.allow}`;
};

describe('the admission matrix', () => {
  const table = new AdmissionTable();
  let walked = 0;

  it('has a written rule for every operation, and for no other', () => {
    assert.deepEqual(table.operations, OPERATIONS);
  });

  for (const operation of OPERATIONS) {
    it(`decides ${operation} as it is written, for every combination of facts`, () => {
      const wrong: string[] = [];
      for (const { names, facts } of casesOf(operation)) {
        walked += 1;
        const [expected, actual] = [table.decide(operation, names), decisionOf(facts)];
        if (expected !== actual && wrong.length < 10) wrong.push(`${JSON.stringify(names)}: written ${expected}, decided ${actual}`);
      }
      assert.deepEqual(wrong, []);
    });
  }

  it('has been walked as a whole, and no written row was left without a case', () => {
    assert.ok(walked > 200_000, `${walked} rows`);
    assert.deepEqual(table.unused(), []);
  });
});
