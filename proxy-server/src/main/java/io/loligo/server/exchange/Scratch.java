package io.loligo.server.exchange;

import io.loligo.core.message.FieldLines;

/**
 * Objects of an event loop that responses given at once are composed in, so that they allocate
 * nothing. Confined to the loop.
 */
final class Scratch {
  private final FieldLines lines = new FieldLines(1024);
  private final FieldLines section = new FieldLines(1024);
  private final OutgoingHead head = new OutgoingHead();

  /** For the lines of a response given at once, cleared. */
  FieldLines lines() {
    return lines.clear();
  }

  /** For a field section that is copied before anything else is called, cleared. */
  FieldLines section() {
    return section.clear();
  }

  /** The head of a response given at once; valid until a stream was given it. */
  OutgoingHead head(int status, FieldLines own) {
    return head.begin(status, own);
  }
}
