import { describe, expect, test } from 'vitest';
import { Mailbox } from '../../src/execute/mailbox.js';

describe('a mailbox', () => {
  test('has nothing read before it is opened, and then all of it in order', () => {
    const read: number[] = [];
    const mailbox = new Mailbox<number>((message) => read.push(message));
    mailbox.post(1);
    mailbox.post(2);
    expect(read).toEqual([]);
    mailbox.open();
    mailbox.post(3);
    expect(read).toEqual([1, 2, 3]);
  });

  test('has one message read at a time: what is left meanwhile comes after what waits already', () => {
    const read: string[] = [];
    const mailbox = new Mailbox<string>((message) => {
      read.push(`${message} begins`);
      if (message === 'first') mailbox.post('third');
      read.push(`${message} ends`);
    });
    mailbox.post('first');
    mailbox.post('second');
    mailbox.open();
    const messages = ['first', 'second', 'third'];
    expect(read).toEqual(messages.flatMap((message) => [`${message} begins`, `${message} ends`]));
  });
});
