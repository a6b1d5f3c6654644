import assert from 'node:assert/strict';
import { isAck } from '../../../src/gateway/server/requestHandlers.ts';
import { clientNotifications } from '../../../src/protocol/subscription/clientNotifications.ts';

const subscriptionId = `sub_${'0'.repeat(26)}`;

describe('an acknowledgement', () => {
  it('B9 is taken for one exactly when the schema does, whatever its subscription', () => {
    const right = [{ subscriptionId, deliverySeq: 1 }, { deliverySeq: 2 ** 40, subscriptionId }];
    const wrong = [
      undefined, null, 1, 'ack', [], {}, { subscriptionId }, { deliverySeq: 1 }, { subscriptionId: 1, deliverySeq: 1 }, { subscriptionId, deliverySeq: '1' }, { subscriptionId, deliverySeq: 0 },
      { subscriptionId, deliverySeq: -1 }, { subscriptionId, deliverySeq: 1.5 }, { subscriptionId, deliverySeq: 2 ** 60 }, { subscriptionId, deliverySeq: 1, more: 1 }, [subscriptionId, 1],
    ];
    for (const params of [...right, ...wrong]) assert.equal(isAck(params), clientNotifications['event/ack'].safeParse(params).success, JSON.stringify(params));
    assert.deepEqual(right.map(isAck), [true, true]);
  });
});
