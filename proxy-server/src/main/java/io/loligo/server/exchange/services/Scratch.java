package io.loligo.server.exchange.services;

import io.loligo.core.message.FieldLines;
import io.loligo.server.exchange.client.OutgoingHead;

/**
 * Reusable objects of an event loop for responses that are sent at once. Such responses allocate
 * nothing. Confined to the loop.
 */
public final class Scratch {
  private final FieldLines lines = new FieldLines(1024);
  private final FieldLines section = new FieldLines(1024);
  private final OutgoingHead head = new OutgoingHead();

  /**
   * Returns the cleared buffer for the field lines of a response that is sent at once. The next
   * call clears it again.
   */
  public FieldLines lines() {
    return lines.clear();
  }

  /**
   * Returns the cleared buffer for a field section. The caller copies the section before it calls
   * anything else.
   */
  public FieldLines section() {
    return section.clear();
  }

  /**
   * Begins the head of a response that is sent at once. It is valid until {@link
   * io.loligo.server.exchange.client.ClientStream#head} returns.
   *
   * @param own see {@link OutgoingHead#begin}, borrowed
   */
  public OutgoingHead head(int status, FieldLines own) {
    return head.begin(status, own);
  }
}
