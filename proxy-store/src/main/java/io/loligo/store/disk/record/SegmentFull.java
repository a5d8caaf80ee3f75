package io.loligo.store.disk.record;

/** A segment has no room left. It carries no stack: it is an answer, not a failure. */
final class SegmentFull extends RuntimeException {
  private static final long serialVersionUID = 1;

  SegmentFull() {
    super("segment full", null, false, false);
  }
}
