package io.loligo.server.exchange.services;

import io.loligo.core.message.FieldLines;
import io.loligo.server.exchange.client.OutgoingHead;

/**
 * Objects of an event loop that responses given at once are composed in, so that they allocate
 * nothing. Confined to the loop.
 */
public final class Scratch {
  private final FieldLines lines = new FieldLines(1024);
  private final FieldLines section = new FieldLines(1024);
  private final OutgoingHead head = new OutgoingHead();

  /** For the lines of a response given at once, cleared. */
  public FieldLines lines() {
    return lines.clear();
  }

  /** For a field section that is copied before anything else is called, cleared. */
  public FieldLines section() {
    return section.clear();
  }

  /** The head of a response given at once; valid until a stream was given it. */
  public OutgoingHead head(int status, FieldLines own) {
    return head.begin(status, own);
  }
}
