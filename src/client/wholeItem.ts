import type { ItemId } from '../protocol/ids.ts';
import type { Item } from '../protocol/item/state.ts';
import type { GatewayCalls } from './gatewayClient.ts';

/** An item with its full text, however long: read piece by piece. */
export async function wholeItem(calls: Pick<GatewayCalls, 'call'>, itemId: ItemId): Promise<Item> {
  let text = '';
  for (;;) {
    const { item } = await calls.call('item/get', { itemId, offset: text.length });
    // It may have been replaced by a shorter one in the meantime.
    if (item.textLength < text.length) text = '';
    else if (item.text === '' || text.length + item.text.length >= item.textLength) return { ...item, text: text + item.text };
    else text += item.text;
  }
}
