package io.loligo.server.peer;

/** What becomes of a datagram at a port for neighbours: a constant of an enum, with its counter. */
public interface DatagramOutcome {
  /** Of the enum. */
  String name();

  /** Of the enum. */
  int ordinal();

  /** Its meaning, for operators. */
  String text();
}
